import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { signTypedData, WalletError, type WalletProvider } from '@causeway/ui/wallet';
import { useSession } from '../session/session.js';
import type { ShownRequest } from './signed-message.js';

/** A request that needs a signature, with the wallet for it. */
interface ToSign {
  readonly request: Pick<ShownRequest, 'id' | 'typedData'>;
  readonly provider: WalletProvider | null;
}

/** Lets a wallet sign the message of a request for the member. The member can stop waiting. */
export function useSignature() {
  const { address } = useSession();
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const sign = useMutation({
    mutationFn: async ({ request: { id, typedData }, provider }: ToSign) => {
      if (typedData === null) throw new Error(`The request ${id} needs no signature`);
      if (provider === null) throw new WalletError('NO_ACCOUNT', 'Choose a wallet first.');
      stop.current = new AbortController();
      return { id, signature: await signTypedData(provider, address, typedData, stop.current.signal) };
    },
  });
  return { sign, stopWaiting: () => stop.current.abort() };
}
