import type { Step, TransferKind, TransferRecord } from '@causeway/sdk';
import { TRANSFERS } from '../words/transfers.js';

const WORDS = TRANSFERS.step;

/** A step as the user sees it. */
export interface VisibleStep {
  readonly words: string;
  readonly state: keyof typeof TRANSFERS.states;
  readonly hash: string | null;
}

/** Lists the steps of a transfer. The registration of an intent belongs to its signature: both are one for the user. */
export function listSteps({ kind, steps }: Pick<TransferRecord, 'kind' | 'steps'>): readonly VisibleStep[] {
  const registration = steps.find(({ step }) => step === 'register');
  return steps.flatMap((step): VisibleStep[] => {
    if (step.step === 'register') return [];
    const isRegistering = step.step === 'sign' && step.state === 'done' && registration?.state === 'planned';
    return [
      {
        words: getStepName(kind, step),
        state: isRegistering ? 'registering' : step.state,
        hash: 'hash' in step ? (step.hash ?? null) : null,
      },
    ];
  });
}

function getStepName(kind: TransferKind, step: Exclude<Step, { step: 'register' }>): string {
  if (step.step === 'sign') return WORDS.sign[step.what];
  if (step.step !== 'send') return WORDS[step.step];
  return step.what === 'transfer' ? WORDS.begin[kind] : WORDS.send[step.what];
}

/** The operation of a record whose transaction is mined, to follow without its wallet; null before. */
export function findOperation({ kind, steps }: Pick<TransferRecord, 'kind' | 'steps'>) {
  const sent = steps.find((step) => (step.step === 'send' && step.what !== 'approval') || step.step === 'batch') as
    Extract<Step, { step: 'send' }> | undefined;
  if (kind === 'CLAIM' || sent?.state !== 'done' || sent.hash === undefined) return null;
  const registered = steps.find((step) => step.step === 'register');
  return registered?.intentId === undefined ? { originTxHash: sent.hash } : { intentId: registered.intentId };
}

/** The side where a transfer begins; for a claim the side of the credit. */
export function getRoute(kind: TransferKind): 'in' | 'out' | 'claim' {
  if (kind === 'CLAIM') return 'claim';
  return kind === 'DEPOSIT' ? 'in' : 'out';
}
