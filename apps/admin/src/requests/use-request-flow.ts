import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { PreviewResponse, RequestResponse, RequestTerms } from '@causeway/protocol/admin';
import { ApiError, hasCode } from '../api/client.js';
import { requestQuery } from '../api/queries.js';
import { useChange, useSession } from '../session/session.js';
import type { WalletProvider } from '../wallet/provider.js';
import { signTypedData, WalletError } from '../wallet/signing.js';
import { describeState, stateChanges, type StateChange } from './decided-state.js';
import { toShown, type ShownRequest } from './signed-message.js';

/** A request before it is asked for. */
interface Review {
  readonly shown: ShownRequest;
  readonly approvalsNeeded: number;
}

/** How far the dialog of a request is. The relayer decides when a request is done: see `FollowedRequest`. */
export type RequestStep =
  | { readonly step: 'reason'; readonly isBusy: boolean; readonly error: unknown }
  | (Review & {
      readonly step: 'review';
      /** What changed since the preview before; null when this is the first one. */
      readonly changes: readonly StateChange[] | null;
      readonly busy: 'signing' | 'sending' | null;
      readonly error: unknown;
    })
  | { readonly step: 'follow'; readonly id: string };

/** The flow of one request: a reason, what it is decided on, the signature where one is needed, and its state. */
export function useRequestFlow(terms: RequestTerms) {
  const change = useChange();
  const client = useQueryClient();
  const { address } = useSession();
  const [current, setCurrent] = useState<RequestStep>({ step: 'reason', isBusy: false, error: null });
  const stop = useRef(new AbortController());
  /** The signature of a preview, so that sending again after a lost answer does not ask the wallet again. */
  const signed = useRef<{ requestId: string; signature: string } | null>(null);
  useEffect(() => () => stop.current.abort(), []);

  const preview = useCallback(
    async (reason: string, before: ShownRequest | null) => {
      try {
        const answer = await change<PreviewResponse>('POST', '/requests/preview', { terms, reason });
        const shown = toShown(answer, terms, reason);
        const describe = ({ decidedOn, chainIds }: ShownRequest) => describeState(decidedOn, chainIds);
        const changes = before === null ? null : stateChanges(describe(before), describe(shown));
        const { approvalsNeeded } = answer;
        setCurrent({ step: 'review', shown, approvalsNeeded, changes, busy: null, error: null });
      } catch (error) {
        setCurrent({ step: 'reason', isBusy: false, error });
      }
    },
    [change, terms],
  );

  const ask = useCallback(
    async (reason: string) => {
      setCurrent({ step: 'reason', isBusy: true, error: null });
      await preview(reason, null);
    },
    [preview],
  );

  const sign = async ({ id, typedData }: ShownRequest, provider: WalletProvider | null): Promise<string | null> => {
    if (typedData === null) return null;
    if (signed.current?.requestId === id) return signed.current.signature;
    if (provider === null) throw new WalletError('NO_ACCOUNT', 'Choose a wallet first.');
    stop.current = new AbortController();
    const signature = await signTypedData(provider, address, typedData, stop.current.signal);
    signed.current = { requestId: id, signature };
    return signature;
  };

  const submit = async ({ shown, approvalsNeeded }: Review, provider: WalletProvider | null) => {
    const review = { step: 'review', shown, approvalsNeeded, changes: null } as const;
    const { id: requestId, reason, version, validUntil } = shown;
    setCurrent({ ...review, busy: shown.typedData === null ? 'sending' : 'signing', error: null });
    try {
      const signature = await sign(shown, provider);
      setCurrent({ ...review, busy: 'sending', error: null });
      const body = { requestId, terms, reason, version, validUntil, signature };
      const created = await change<RequestResponse>('POST', '/requests', body);
      client.setQueryData(requestQuery(created.id).queryKey, created);
      void client.invalidateQueries({ queryKey: ['requests'] });
      setCurrent({ step: 'follow', id: created.id });
    } catch (error) {
      // The state changed since the preview: it is shown again, with what changed, and nothing was used.
      if (hasCode(error, 'STALE_VERSION')) return preview(reason, shown);
      setCurrent({ ...review, busy: null, error });
      if (error instanceof ApiError && error.status === 401) void client.invalidateQueries({ queryKey: ['session'] });
    }
  };

  return { current, ask, submit, stopWaiting: () => stop.current.abort() };
}
