import type { TransferRecord } from '../record/record.js';

/** Describes a step in words for the user. */
export function describeStep(record: TransferRecord, index: number): string {
  const step = record.steps[index];
  const { asset, recipient, kind } = record;
  if (step?.step === 'sign') return `Sign the ${step.what} of ${asset}`;
  if (step?.step === 'batch') return `Approve and deposit ${asset} for ${recipient}`;
  if (step?.step === 'register') return 'Register the intent';
  if (step?.step === 'bind') return 'Name the payment to the bridge';
  if (step?.what === 'approval') return `Allow the bridge to take the ${asset} of this deposit`;
  if (step?.what === 'payment') return `Pay the intent in ${asset}`;
  const verb = { DEPOSIT: 'Deposit', BURN: 'Burn', WITHDRAW_NATIVE: 'Withdraw', INTENT: 'Withdraw', CLAIM: 'Claim' }[
    kind
  ];
  return `${verb} ${asset} for ${recipient}`;
}
