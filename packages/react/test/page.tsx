import {
  CausewayProvider,
  useCheck,
  useHistory,
  useQuote,
  useRecords,
  useStatus,
  useTransfer,
  type RecordedTransfer,
  type UseTransferResult,
} from '../src/index.js';
import { connectBridge, fromProvider, type Provider } from '@causeway/sdk';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Address } from 'viem';

// The page of the tests. Its address names the components to mount, and tests use what their hooks returned.

/** What the tests find in `globalThis`. */
export interface Shown {
  transfer: UseTransferResult;
  records: readonly RecordedTransfer[];
  quote: ReturnType<typeof useQuote>;
  check: ReturnType<typeof useCheck>;
  status: ReturnType<typeof useStatus>;
  history: ReturnType<typeof useHistory>;
  /** All statuses that `useStatus` has returned. */
  readonly statuses: string[];
  /** Mounts these components instead. */
  mount: (names: readonly string[]) => void;
  readonly client: QueryClient;
}

const search = new URLSearchParams(location.search);
const account = search.get('account') as Address;
const { askWallet, shown } = Object.assign(globalThis as unknown as { askWallet: Provider['request']; shown: Shown }, {
  // An app's defaults, which must not repeat a transfer.
  shown: {
    statuses: [],
    client: new QueryClient({ defaultOptions: { mutations: { retry: 3 }, queries: { retry: 3 } } }),
  },
});
const wallet = fromProvider({ request: askWallet }, account);
const options = { wallet, pollMs: 20 };
const DEPOSIT = { kind: 'DEPOSIT', asset: 'ETH', amount: '0.5', recipient: account } as const;

const COMPONENTS = {
  transfer: function OwnTransfer() {
    const transfer = useTransfer(options);
    shown.transfer = transfer;
    return null;
  },
  // Beginning in an effect is a mistake.
  eager: function EagerTransfer() {
    const transfer = useTransfer(options);
    shown.transfer = transfer;
    useEffect(() => transfer.begin(DEPOSIT), []);
    return null;
  },
  records: function Records() {
    shown.records = useRecords(options);
    return null;
  },
  quote: function Quote() {
    shown.quote = useQuote({
      asset: 'ETH',
      amount: search.get('amount') ?? 5n * 10n ** 17n,
      direction: 'ETHEREUM_TO_PARTNER',
    });
    return null;
  },
  check: function Check() {
    shown.check = useCheck({ wallet, transfer: { ...DEPOSIT, amount: 10n ** 20n }, maxFee: 0n });
    return null;
  },
  status: function Status() {
    shown.status = useStatus({ originTxHash: `0x${'ab'.repeat(32)}` });
    const status = shown.status.data?.status;
    useEffect(() => {
      if (status !== undefined) shown.statuses.push(status);
    }, [status]);
    return null;
  },
  history: function History() {
    shown.history = useHistory({ address: account });
    return null;
  },
};

function Page() {
  const [names, setNames] = useState<readonly string[]>(search.getAll('show'));
  shown.mount = setNames;
  return names.map((name) => {
    const Component = COMPONENTS[name as keyof typeof COMPONENTS];
    return <Component key={name} />;
  });
}

/** Its bridge is a new object in each rendering, as apps write it. */
function App() {
  const [, render] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => render((count) => count + 1), 10);
    return () => clearInterval(timer);
  }, []);
  return (
    <CausewayProvider bridge={connectBridge({ apiUrl: `${location.origin}/api/v1` })}>
      <Page />
    </CausewayProvider>
  );
}

createRoot(document.body).render(
  <StrictMode>
    <QueryClientProvider client={shown.client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
