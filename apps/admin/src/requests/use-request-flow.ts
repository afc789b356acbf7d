import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { PreviewResponse, RequestResponse, RequestTerms } from '@causeway/protocol/admin';
import { ApiError, hasCode } from '../api/client.js';
import { requestQuery } from '../api/queries.js';
import { useChange, useSession } from '../session/session.js';
import type { WalletProvider } from '../wallet/provider.js';
import { signTypedData, WalletError } from '../wallet/signing.js';
import { stateChanges, type StateChange } from './decided-state.js';

/** How far the dialog of a request is. The relayer decides when a request is done: see `FollowedRequest`. */
export type RequestStep =
  | { readonly step: 'reason'; readonly isBusy: boolean; readonly error: unknown }
  | {
      readonly step: 'review';
      readonly preview: PreviewResponse;
      /** What changed since the preview before; null when this is the first one. */
      readonly changes: readonly StateChange[] | null;
      readonly busy: 'signing' | 'sending' | null;
      readonly error: unknown;
    }
  | { readonly step: 'follow'; readonly id: string };

/** The flow of one request: a reason, what it is decided on, the signature where one is needed, and its state. */
export function useRequestFlow(terms: RequestTerms) {
  const change = useChange();
  const client = useQueryClient();
  const { address } = useSession();
  const [current, setCurrent] = useState<RequestStep>({ step: 'reason', isBusy: false, error: null });
  const reason = useRef('');
  const stop = useRef(new AbortController());
  /** The signature of a preview, so that sending again after a lost answer does not ask the wallet again. */
  const signed = useRef<{ requestId: string; signature: string } | null>(null);
  useEffect(() => () => stop.current.abort(), []);

  const preview = useCallback(
    async (why: string, before: PreviewResponse | null) => {
      reason.current = why;
      try {
        const next = await change<PreviewResponse>('POST', '/requests/preview', { terms, reason: why });
        const changes = before === null ? null : stateChanges(before.state, next.state);
        setCurrent({ step: 'review', preview: next, changes, busy: null, error: null });
      } catch (error) {
        setCurrent({ step: 'reason', isBusy: false, error });
      }
    },
    [change, terms],
  );

  const ask = useCallback(
    async (why: string) => {
      setCurrent({ step: 'reason', isBusy: true, error: null });
      await preview(why, null);
    },
    [preview],
  );

  const sign = async (shown: PreviewResponse, provider: WalletProvider | null): Promise<string | null> => {
    const { requestId, typedData } = shown;
    if (typedData === null) return null;
    if (signed.current?.requestId === requestId) return signed.current.signature;
    if (provider === null) throw new WalletError('NO_ACCOUNT', 'Choose a wallet first.');
    stop.current = new AbortController();
    const signature = await signTypedData(provider, address, typedData, stop.current.signal);
    signed.current = { requestId, signature };
    return signature;
  };

  const submit = async (shown: PreviewResponse, provider: WalletProvider | null) => {
    const review = { step: 'review', preview: shown, changes: null } as const;
    const { requestId, version, validUntil } = shown;
    setCurrent({ ...review, busy: shown.typedData === null ? 'sending' : 'signing', error: null });
    try {
      const signature = await sign(shown, provider);
      setCurrent({ ...review, busy: 'sending', error: null });
      const body = { requestId, terms, reason: reason.current, version, validUntil, signature };
      const created = await change<RequestResponse>('POST', '/requests', body);
      client.setQueryData(requestQuery(created.id).queryKey, created);
      void client.invalidateQueries({ queryKey: ['requests'] });
      setCurrent({ step: 'follow', id: created.id });
    } catch (error) {
      // The state changed since the preview: it is shown again, with what changed, and nothing was used.
      if (hasCode(error, 'STALE_VERSION')) return preview(reason.current, shown);
      setCurrent({ ...review, busy: null, error });
      if (error instanceof ApiError && error.status === 401) void client.invalidateQueries({ queryKey: ['session'] });
    }
  };

  return { current, ask, submit, stopWaiting: () => stop.current.abort() };
}
