/** What a request is decided on, as the API shows it. */
export type DecidedState = Readonly<Record<string, unknown>>;

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
export function stateChanges(before: DecidedState, after: DecidedState): readonly StateChange[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return names
    .map((name) => ({ name, before: textOf(before[name]), after: textOf(after[name]) }))
    .filter((change) => change.before !== change.after);
}

/** The message of typed data: what the wallet shows before it signs. */
export function messageOf(typedData: DecidedState): DecidedState {
  const { message } = typedData;
  return typeof message === 'object' && message !== null ? (message as DecidedState) : {};
}
