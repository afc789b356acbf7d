import { amountWords, chainWords, type ChainIds, type DecidedOn } from '@causeway/protocol/admin';

/** Names and values of a state or of a message. */
export type Values = Readonly<Record<string, unknown>>;

/** A value that changed between two previews. */
export interface StateChange {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** A value as text: exact, never as markup. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'string') return value === '' ? 'empty' : value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

/** The values that differ between two states, in the order of the later one; those that are gone come last. */
export function stateChanges(before: Values, after: Values): readonly StateChange[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return names
    .map((name) => ({ name, before: textOf(before[name]), after: textOf(after[name]) }))
    .filter((change) => change.before !== change.after);
}

/** A state for people: amounts with their unit, chains by name. */
export function describeState(state: DecidedOn, chainIds: ChainIds): Values {
  const { about: _about, ...values } = state;
  switch (state.about) {
    case 'refund': {
      const { status, operationId, chainId, asset, amount, payer, recipient } = state;
      const place = { amount: amountWords(asset, amount), chain: chainWords(chainId, chainIds) };
      return { status, ...place, payer, lastRecipient: recipient, operationId };
    }
    case 'intent':
      return { ...values, amount: amountWords('XCN', state.amount) };
    case 'delivery': {
      const { about: _word, chainId, operationIds, ...others } = state;
      return { ...others, chain: chainWords(chainId, chainIds), operations: operationIds.join(', ') };
    }
    case 'halt': {
      const { halt, unknown } = state;
      const deliveries = unknown.map(({ chainId, ...event }) => ({ ...event, chain: chainWords(chainId, chainIds) }));
      return {
        halt: halt === null ? null : `${halt.reason}, since ${halt.since}`,
        unknownDeliveries: deliveries.length === 0 ? null : deliveries,
      };
    }
    case 'nothing':
    case 'operation':
    case 'member':
      return values;
  }
}
