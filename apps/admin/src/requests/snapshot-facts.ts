import { amountWords, chainWords, type ChainIds, type RequestSnapshot } from '@causeway/protocol/admin';

/** A label with its exact value as text, never as markup. */
export interface Fact {
  readonly label: string;
  readonly text: string;
}

/** A value that changed between two previews. */
export interface StateChange {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

type UnknownDelivery = Extract<RequestSnapshot, { readonly about: 'halt' }>['unknown'][number];

const NONE = 'none';
const fact = (label: string, text: string | null): Fact => ({ label, text: text ?? NONE });
const yesOrNo = (label: string, value: boolean): Fact => fact(label, value ? 'yes' : 'no');

/** Returns the values that differ between two states, in the later state's order; removed values come last. */
export function stateChanges(before: readonly Fact[], after: readonly Fact[]): readonly StateChange[] {
  const labels = [...new Set([...after, ...before].map(({ label }) => label))];
  const textIn = (facts: readonly Fact[], wanted: string) => facts.find(({ label }) => label === wanted)?.text ?? NONE;
  return labels
    .map((label) => ({ label, before: textIn(before, label), after: textIn(after, label) }))
    .filter((change) => change.before !== change.after);
}

/** Describes a state for people: amounts with their unit, chains by name. */
export function stateFacts(state: RequestSnapshot, chainIds: ChainIds): readonly Fact[] {
  switch (state.about) {
    case 'nothing':
      return [];
    case 'operation':
      return [
        fact('Status', state.status),
        fact('Delayed reason', state.delayedReason),
        yesOrNo('Is paused', state.isPaused),
      ];
    case 'delivery':
      return [
        fact('Status', state.status),
        yesOrNo('Is halted', state.isHalted),
        fact('Sender', state.sender),
        fact('Nonce', state.nonce),
        yesOrNo('Is cancelled', state.isCancelled),
        fact('Chain', chainWords(state.chainId, chainIds)),
        fact('Operations', state.operationIds.join(', ')),
      ];
    case 'halt': {
      const { halt, unknown } = state;
      const deliveries = unknown.map((delivery) => describeDelivery(delivery, chainIds)).join('; ');
      return [
        fact('Halt', halt === null ? null : `${halt.reason}, since ${halt.since}`),
        fact('Unknown deliveries', unknown.length === 0 ? null : deliveries),
      ];
    }
    case 'refund':
      return [
        fact('Status', state.status),
        fact('Amount', amountWords(state.asset, state.amount)),
        fact('Chain', chainWords(state.chainId, chainIds)),
        fact('Payer', state.payer),
        fact('Last recipient', state.recipient),
        fact('Operation id', state.operationId),
      ];
    case 'intent':
      return [
        fact('Sender', state.sender),
        fact('Recipient', state.recipient),
        fact('Amount', amountWords('XCN', state.amount)),
        yesOrNo('Is open', state.isOpen),
        yesOrNo('Is rejected', state.isRejected),
      ];
    case 'member':
      return [fact('Role', state.role)];
  }
}

function describeDelivery({ name, operationId, chainId, txHash, logIndex, args }: UnknownDelivery, chainIds: ChainIds) {
  const values = Object.entries(args).map(([argument, value]) => `${argument} ${value}`);
  const place = `log ${logIndex} of ${txHash} on ${chainWords(chainId, chainIds)}`;
  return `${name} ${operationId} in ${place}: ${values.join(', ')}`;
}
