import type { Hex } from 'viem';
import type { Step, TransferRecord } from './record.js';

/** A change of a running transfer, from its check until its transactions are mined. */
export interface Progress {
  readonly step: 'check' | 'signature' | 'approval' | 'transfer' | 'payment' | 'batch' | 'registration' | 'binding';
  /** `asked`: the wallet or the bridge is being asked. `sent`: pending. `done` of a transaction: mined. */
  readonly state: Step['state'];
  /** Position of the step from 1 to `count`; 0 for the check. */
  readonly position: number;
  /** Number of steps after the check; 0 during the check. */
  readonly count: number;
  /** The chain of the step; undefined until the check knows it. */
  readonly chainId?: number;
  /** The transaction, from `sent` on; of a batch when it is mined. */
  readonly hash?: Hex;
  /** Id of an EIP-5792 batch. */
  readonly callsId?: string;
  /** The change in a sentence for the user. */
  readonly message: string;
}

const NAMES = { batch: 'batch', register: 'registration', bind: 'binding' } as const;
const ENDINGS: Readonly<Record<Step['state'], string>> = {
  planned: '',
  asked: '',
  refused: ': refused in the wallet',
  sent: ': pending',
  done: ': done',
  failed: ': failed',
};

/** Describes a step in words for the user. */
export function describeStep(record: TransferRecord, index: number): string {
  const step = record.steps[index];
  const { asset, recipient, kind } = record;
  if (step?.step === 'sign') return `Sign the ${step.what} of ${asset}`;
  if (step?.step === 'batch') return `Approve and deposit ${asset} for ${recipient}`;
  if (step?.step === 'register') return 'Register the intent';
  if (step?.step === 'bind') return 'Report the payment to the bridge';
  if (step?.what === 'approval') return `Allow the bridge to take the ${asset} of this deposit`;
  if (step?.what === 'payment') return `Pay the intent in ${asset}`;
  const verb = { DEPOSIT: 'Deposit', BURN: 'Burn', WITHDRAW_NATIVE: 'Withdraw', INTENT: 'Withdraw', CLAIM: 'Claim' }[
    kind
  ];
  return `${verb} ${asset} for ${recipient}`;
}

/** Describes the state of a step. `state` overrides that of the record. */
export function describeProgress(record: TransferRecord, index: number, state?: Step['state']): Progress | undefined {
  const step = record.steps[index];
  if (step === undefined) return undefined;
  const present = state ?? step.state;
  const { hash, callsId } = step as { readonly hash?: Hex; readonly callsId?: string };
  return {
    step: step.step === 'sign' ? 'signature' : step.step === 'send' ? step.what : NAMES[step.step],
    state: present,
    position: index + 1,
    count: record.steps.length,
    chainId: record.chainId,
    ...(hash === undefined ? {} : { hash }),
    ...(callsId === undefined ? {} : { callsId }),
    message: describeStep(record, index) + ENDINGS[present],
  };
}
