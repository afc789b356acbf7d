import '@causeway/ui/styles.css';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from '../api/client.js';
import { sessionQuery } from '../api/queries.js';
import { createAppRouter } from './router.js';

/** Retries of a temporarily failed read before the page shows the error. */
const RETRIES = 2;

/** Handles the end of the session, which any query can reveal: the gate leads to sign-in and back to the same URL. */
function onError(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) client.setQueryData(sessionQuery.queryKey, null);
}

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < RETRIES && !(error instanceof ApiError && !error.isTemporary),
      retryDelay: (failures) => 500 * 2 ** failures,
      staleTime: 2_000,
      // The console must work from a local server without a network.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

const router = createAppRouter();

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no element with the id root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
