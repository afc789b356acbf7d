import { CausewayProvider } from '@causeway/react';
import { connectBridge } from '@causeway/sdk';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { BridgeContext, SettingsContext } from '../settings/context.js';
import { resolveApiUrl, type Settings } from '../settings/settings.js';

/** Gives the page below it the settings, the queries and the bridge. The host's contracts are the trusted ones. */
export function Providers({ settings, children }: { readonly settings: Settings; readonly children: ReactNode }) {
  const [client] = useState(
    () =>
      new QueryClient({
        // The SDK repeats failed reads. The page must work on a local stack without a network.
        defaultOptions: { queries: { retry: false, networkMode: 'always' }, mutations: { networkMode: 'always' } },
      }),
  );
  const [bridge] = useState(() => {
    const { addressBook, partner, docsUrl } = settings;
    return connectBridge({
      apiUrl: resolveApiUrl(settings),
      environment: addressBook.environment,
      addressBook,
      ...(partner.rpcUrls[0] === undefined ? {} : { partnerRpcUrl: partner.rpcUrls[0] }),
      ...(docsUrl === undefined ? {} : { docsUrl }),
    });
  });
  return (
    <SettingsContext value={settings}>
      <BridgeContext value={bridge}>
        <QueryClientProvider client={client}>
          <CausewayProvider bridge={bridge}>{children}</CausewayProvider>
        </QueryClientProvider>
      </BridgeContext>
    </SettingsContext>
  );
}
