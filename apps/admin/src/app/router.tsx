import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  Outlet,
  type ErrorComponentProps,
} from '@tanstack/react-router';
import { Empty, Failure, Loading } from '@causeway/ui/components';
import { parseSearch, pickParams, stringifySearch } from '@causeway/ui/routing';
import { Page } from '../components/page.js';
import { Shell } from './shell.js';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <Page title="Page not found">
      <Empty title="The console has no page at this URL.">
        <Link to="/" className="font-medium text-accent underline">
          Go to the overview
        </Link>
      </Empty>
    </Page>
  ),
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: pickParams('next'),
  component: lazyRouteComponent(() => import('../session/sign-in-page.js'), 'SignInPage'),
});

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });
const getParentRoute = () => shell;

const overview = createRoute({
  getParentRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../health/overview-page.js'), 'OverviewPage'),
});
const operations = createRoute({
  getParentRoute,
  path: '/operations',
  validateSearch: pickParams(
    'search',
    'status',
    'delay',
    'asset',
    'direction',
    'kind',
    'from',
    'until',
    'cursor',
    'limit',
  ),
  component: lazyRouteComponent(() => import('../operations/operations-page.js'), 'OperationsPage'),
});
const operation = createRoute({
  getParentRoute,
  path: '/operations/$id',
  component: lazyRouteComponent(() => import('../operations/operation-page.js'), 'OperationPage'),
});
const intents = createRoute({
  getParentRoute,
  path: '/intents',
  validateSearch: pickParams('status', 'cursor'),
  component: lazyRouteComponent(() => import('../operations/intents-page.js'), 'IntentsPage'),
});
const refunds = createRoute({
  getParentRoute,
  path: '/refunds',
  validateSearch: pickParams('status', 'cursor'),
  component: lazyRouteComponent(() => import('../refunds/refunds-page.js'), 'RefundsPage'),
});
const refund = createRoute({
  getParentRoute,
  path: '/refunds/$id',
  component: lazyRouteComponent(() => import('../refunds/refund-page.js'), 'RefundPage'),
});
const approvals = createRoute({
  getParentRoute,
  path: '/approvals',
  validateSearch: pickParams('state', 'cursor'),
  component: lazyRouteComponent(() => import('../requests/approvals-page.js'), 'ApprovalsPage'),
});
const request = createRoute({
  getParentRoute,
  path: '/approvals/$id',
  component: lazyRouteComponent(() => import('../requests/request-page.js'), 'RequestPage'),
});
const fees = createRoute({
  getParentRoute,
  path: '/fees-and-limits',
  validateSearch: pickParams('part', 'call'),
  component: lazyRouteComponent(() => import('../contracts/fees-and-limits-page.js'), 'FeesAndLimitsPage'),
});
const pauses = createRoute({
  getParentRoute,
  path: '/pauses-and-halts',
  validateSearch: pickParams('call'),
  component: lazyRouteComponent(() => import('../contracts/pauses-and-halts-page.js'), 'PausesAndHaltsPage'),
});
const relayers = createRoute({
  getParentRoute,
  path: '/relayers',
  component: lazyRouteComponent(() => import('../health/relayers-page.js'), 'RelayersPage'),
});
const alerts = createRoute({
  getParentRoute,
  path: '/alerts',
  component: lazyRouteComponent(() => import('../health/alerts-page.js'), 'AlertsPage'),
});
const audit = createRoute({
  getParentRoute,
  path: '/audit',
  validateSearch: pickParams('actor', 'action', 'subject', 'cursor'),
  component: lazyRouteComponent(() => import('../audit/audit-page.js'), 'AuditPage'),
});
const settings = createRoute({
  getParentRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('../health/settings-page.js'), 'SettingsPage'),
});

/** Shows the error of a page that threw, with a button to retry. */
function Broken({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page failed to load">
      <Failure error={error} onRetry={reset} />
    </Page>
  );
}

const routeTree = root.addChildren([
  signIn,
  shell.addChildren([
    overview,
    operations,
    operation,
    intents,
    refunds,
    refund,
    approvals,
    request,
    fees,
    pauses,
    relayers,
    alerts,
    audit,
    settings,
  ]),
]);

/** The routes of the console. The URL holds the filters and the cursor of a page. */
export function createAppRouter() {
  return createRouter({
    routeTree,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPendingMs: 150,
    defaultPendingComponent: () => <Loading />,
    defaultErrorComponent: Broken,
    scrollRestoration: true,
  });
}
