import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { ChevronRight, Loader2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { Button, describeError, Notice } from '@causeway/ui/components';
import {
  connect,
  readChainId,
  rememberWallet,
  signText,
  StallHint,
  useWallets,
  WalletError,
  WalletPicture,
  type Wallet,
} from '@causeway/ui/wallet';
import { signIn, signInNonce } from '../api/mutations.js';
import { sessionQuery } from '../api/queries.js';
import { safeNext, signInMessage } from './sign-in-message.js';
import { NoWallet } from './no-wallet.js';

/** The page where a member signs in with a wallet. */
export function SignInPage() {
  const wallets = useWallets();
  const router = useRouter();
  const { next } = useSearch({ from: '/sign-in' });
  const session = useQuery(sessionQuery);
  const stop = useRef(new AbortController());
  const target = safeNext(next);

  useEffect(() => {
    document.title = 'Sign in · Causeway console';
    return () => stop.current.abort();
  }, []);
  useEffect(() => {
    if (session.data) router.history.replace(target);
  }, [session.data, router, target]);

  const nonceOf = useMutation(signInNonce);
  const begin = useMutation(signIn);
  /** Signs in with a wallet: account, nonce, signature, session. */
  const enter = useMutation({
    mutationFn: async ({ provider }: Wallet) => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      const address = await connect(provider, signal);
      const { nonce, chainIds } = await nonceOf.mutateAsync();
      const current = await readChainId(provider, signal);
      // The wallet's chain if it is one of the bridge's, else Ethereum, the first id, where a smart account must be.
      const chainId = chainIds.includes(current) ? current : (chainIds[0] ?? current);
      const message = signInMessage({ origin: window.location.origin, address, chainId, nonce, nowMs: Date.now() });
      const signature = await signText(provider, { account: address, chainId: null }, message, signal);
      if (signal.aborted) throw new WalletError('CANCELLED');
      await begin.mutateAsync({ message, signature });
    },
    onSuccess: (_, wallet) => rememberWallet(wallet),
  });
  const busy = enter.isPending ? enter.variables : null;

  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div
        className={`w-full ${wallets.length === 0 ? 'max-w-xl' : 'max-w-sm'} rounded-2xl border border-line bg-surface p-6 shadow-card`}
      >
        <img src="/icon.svg" alt="" className="size-9" />
        <h1 className="mt-4 text-xl font-semibold tracking-tight">Sign in to the console</h1>
        <p className="mt-1.5 text-muted">
          Your wallet signs a message, which moves no funds and costs nothing. Check that it names{' '}
          <span className="font-medium text-ink">{window.location.host}</span>.
        </p>
        <ul className="mt-5 flex flex-col gap-2">
          {wallets.map((wallet) => (
            <li key={wallet.info.uuid}>
              <AriaButton
                isDisabled={busy !== null}
                onPress={() => enter.mutate(wallet)}
                className="flex h-12 w-full cursor-pointer items-center gap-3 rounded-lg border border-line bg-raised px-3 text-left font-medium hover:bg-sunken disabled:cursor-default disabled:opacity-60"
              >
                <WalletPicture wallet={wallet} />
                <span className="min-w-0 flex-1 truncate">{wallet.info.name}</span>
                {busy === wallet ? (
                  <Loader2 aria-hidden className="size-4 animate-spin text-muted" />
                ) : (
                  <ChevronRight aria-hidden className="size-4 text-muted" />
                )}
              </AriaButton>
            </li>
          ))}
        </ul>
        <div className="mt-4 flex flex-col gap-3">
          {wallets.length === 0 ? <NoWallet /> : null}
          {busy === null ? null : (
            <>
              <Notice tone="info" title={`Waiting for ${busy.info.name}`}>
                Confirm in the wallet.
                <StallHint />
              </Notice>
              <Button onPress={() => stop.current.abort()}>Stop waiting</Button>
            </>
          )}
          {enter.error === null ? null : (
            <Notice tone="bad" title="Sign-in failed.">
              {describeError(enter.error)}
            </Notice>
          )}
        </div>
      </div>
    </main>
  );
}
