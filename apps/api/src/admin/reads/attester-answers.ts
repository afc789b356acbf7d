import type { AdminOperationResponse } from '@causeway/protocol/admin';
import type { AttesterAnswer } from '@causeway/store';

/** The answers of the attesters about an operation or refund that waits for them, as both pages show them. Pure. */
export function toAttesterAnswers(answers: readonly AttesterAnswer[]): AdminOperationResponse['attesters'] {
  return answers.map(({ attester, verdict, reason, why, answeredAt }) => ({
    address: attester,
    verdict,
    reason,
    sentence: why,
    at: answeredAt?.toISOString() ?? null,
  }));
}
