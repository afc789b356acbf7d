import type { AdminOperationResponse } from '@causeway/protocol/admin';
import type { AttesterAnswer } from '@causeway/store';

/** Converts attesters' answers about an operation or a refund for the console. Pure. */
export function toAttesterAnswers(answers: readonly AttesterAnswer[]): AdminOperationResponse['attesters'] {
  return answers.map(({ attester, verdict, reason, why, answeredAt }) => ({
    address: attester,
    verdict,
    reason,
    sentence: why,
    at: answeredAt?.toISOString() ?? null,
  }));
}
