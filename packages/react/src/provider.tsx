import type { Bridge, BrowserStore } from '@causeway/sdk';
import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import type { Transfers } from './transfers.js';

/** The transfers of a page. The first hook that needs them makes them, so that a page that only reads has no flows. */
interface PageTransfers {
  readonly store: BrowserStore | undefined;
  made: Transfers | null;
}

interface CausewayContext {
  readonly bridge: Bridge;
  readonly transfers: PageTransfers;
}

const Context = createContext<CausewayContext | null>(null);

/** Properties of `CausewayProvider`. */
export interface CausewayProviderProps {
  /** From `connectBridge`. */
  readonly bridge: Bridge;
  /** Where records of transfers are kept. The first value counts. Default: `createBrowserStore()`, on the first use. */
  readonly store?: BrowserStore;
  readonly children?: ReactNode;
}

/**
 * Gives the hooks below it a bridge and a store of records. It belongs inside a `QueryClientProvider`.
 *
 * @example
 * ```tsx
 * <QueryClientProvider client={client}>
 *   <CausewayProvider bridge={bridge}>{children}</CausewayProvider>
 * </QueryClientProvider>
 * ```
 */
export function CausewayProvider({ bridge, store, children }: CausewayProviderProps) {
  const [transfers] = useState((): PageTransfers => ({ store, made: null }));
  const stopping = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    clearTimeout(stopping.current);
    return () => {
      // StrictMode mounts it again immediately, and its transfers continue.
      stopping.current = setTimeout(() => transfers.made?.stopAll());
    };
  }, [transfers]);
  const value = useMemo(() => ({ bridge, transfers }), [bridge, transfers]);
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

/** Returns the bridge of the provider above, and where its transfers are. */
export function useCauseway(): CausewayContext {
  const context = useContext(Context);
  if (context === null) throw new Error('The hooks of @causeway/react need a CausewayProvider above them.');
  return context;
}
