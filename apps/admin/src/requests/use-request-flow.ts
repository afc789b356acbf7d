import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { RequestTerms } from '@causeway/protocol/admin';
import type { WalletProvider } from '@causeway/ui/wallet';
import { hasCode } from '../api/client.js';
import { createRequest, previewRequest } from '../api/mutations.js';
import { stateChanges, stateFacts, type StateChange } from './snapshot-facts.js';
import { toShown, type ShownRequest } from './signed-message.js';
import { useSignature } from './use-signature.js';

/** A request before its submission. */
export interface Review {
  readonly shown: ShownRequest;
  readonly approvalsNeeded: number;
  /** Values that changed since the previous preview; null for the first preview. */
  readonly changes: readonly StateChange[] | null;
}

/** A review with the wallet that signs it. */
interface Submission {
  readonly review: Review;
  readonly provider: WalletProvider | null;
}

const getFacts = ({ decidedOn, chainIds }: ShownRequest) => stateFacts(decidedOn, chainIds);

/**
 * The flow of one request: reason, preview of the state, signature if needed, and the id after submission. The relayer
 * decides when it is done: see `FollowedRequest`.
 */
export function useRequestFlow(terms: RequestTerms) {
  const [review, setReview] = useState<Review | null>(null);
  const { sign, stopWaiting } = useSignature();
  const create = useMutation(createRequest);
  const preview = useMutation({
    ...previewRequest,
    onSuccess: (answer, { reason }) => {
      const shown = toShown(answer, terms, reason);
      setReview((before) => ({
        shown,
        approvalsNeeded: answer.approvalsNeeded,
        changes: before === null ? null : stateChanges(getFacts(before.shown), getFacts(shown)),
      }));
    },
    onError: () => setReview(null),
  });

  const requestSignature = async ({ review: { shown }, provider }: Submission): Promise<string | null> => {
    if (shown.typedData === null) return null;
    // A resubmission after a lost answer reuses the signature.
    const { signature } = sign.data?.id === shown.id ? sign.data : await sign.mutateAsync({ request: shown, provider });
    return signature;
  };

  const submit = useMutation({
    onMutate: ({ review: asked }: Submission) => setReview({ ...asked, changes: null }),
    mutationFn: async (submission: Submission) => {
      const { id: requestId, reason, version, validUntil } = submission.review.shown;
      const signature = await requestSignature(submission);
      try {
        return await create.mutateAsync({ requestId, terms, reason, version, validUntil, signature });
      } catch (error) {
        if (!hasCode(error, 'STALE_VERSION')) throw error;
        // The state changed since the preview, so nothing was submitted: show the preview again, with the changes.
        await preview.mutateAsync({ terms, reason });
        return null;
      }
    },
  });

  const ask = (reason: string) => {
    submit.reset();
    preview.mutate({ terms, reason });
  };
  return { review, preview, submit, ask, isSigning: sign.isPending, stopWaiting };
}
