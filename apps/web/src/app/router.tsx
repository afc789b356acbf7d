import { Empty, Failure, Loading } from '@causeway/ui/components';
import { parseSearch, pickParams, stringifySearch } from '@causeway/ui/routing';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  type ErrorComponentProps,
} from '@tanstack/react-router';
import { COMMON } from '../words/common.js';
import { Page } from '../components/page.js';
import { Shell } from './shell.js';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Page title={COMMON.notFound.title}>
      <Empty title={COMMON.notFound.title}>
        <Link to="/" className="font-medium text-accent underline">
          {COMMON.notFound.link}
        </Link>
      </Empty>
    </Page>
  ),
});
const getParentRoute = () => root;

// Only the pages of the first two routes load wallet code.
const move = createRoute({
  getParentRoute,
  path: '/',
  validateSearch: pickParams('asset', 'to', 'amount', 'recipient'),
  component: lazyRouteComponent(() => import('../move/move-page.js'), 'MovePage'),
});
const continued = createRoute({
  getParentRoute,
  path: '/continue',
  component: lazyRouteComponent(() => import('../transfers/continue-page.js'), 'ContinuePage'),
});
const find = createRoute({
  getParentRoute,
  path: '/find',
  validateSearch: pickParams('asset', 'direction', 'status'),
  component: lazyRouteComponent(() => import('../find/find-page.js'), 'FindPage'),
});
const transfer = createRoute({
  getParentRoute,
  path: '/transfer/$id',
  component: lazyRouteComponent(() => import('../find/transfer-page.js'), 'TransferPage'),
});
const history = createRoute({
  getParentRoute,
  path: '/history/$address',
  component: lazyRouteComponent(() => import('../find/history-page.js'), 'HistoryPage'),
});
const refund = createRoute({
  getParentRoute,
  path: '/refund/$id',
  component: lazyRouteComponent(() => import('../find/refund-page.js'), 'RefundPage'),
});
const status = createRoute({
  getParentRoute,
  path: '/status',
  component: lazyRouteComponent(() => import('../status/status-page.js'), 'StatusPage'),
});

/** Shows the error of a page that threw, with a button to retry. */
function Broken({ error }: ErrorComponentProps) {
  // React keeps the failure of a part that was not loaded, so only a reload helps. It also brings a newer build.
  return (
    <Page title={COMMON.failed}>
      <Failure error={error} onRetry={() => location.reload()} />
    </Page>
  );
}

/** The routes of the page. */
export function createAppRouter() {
  return createRouter({
    routeTree: root.addChildren([move, continued, find, transfer, history, refund, status]),
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPendingMs: 150,
    defaultPendingComponent: () => <Loading />,
    defaultErrorComponent: Broken,
    scrollRestoration: true,
  });
}
