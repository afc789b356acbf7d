import type { ContractCallsResponse, PrepareCallResponse } from '@causeway/protocol/admin';

/** A call that was prepared, with what it was prepared from. */
export interface Prepared {
  readonly command: string;
  /** The words that compute its hashes on the member's own machine. */
  readonly hashCommand: string;
  readonly reason: string;
  readonly account: string;
  readonly answer: PrepareCallResponse;
}

/**
 * The command that computes the hashes of a call from the address book.
 *
 * @param definition the call, with its options.
 * @param options the values of the form, by name.
 */
export function hashCommandOf(
  { command, options: definitions }: ContractCallsResponse['calls'][number],
  options: Readonly<Record<string, string>>,
  signer: string,
): string {
  const words = definitions.flatMap(({ name, choices, fallback }) => {
    const value = options[name];
    if (value === undefined) return [];
    // A switch of the command line: it has no value there.
    if (choices?.join() === 'yes,no' && fallback === 'no') return value === 'yes' ? [`--${name}`] : [];
    return [`--${name}`, /^[\w.:-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`];
  });
  return ['admin hash', command, ...words, '--signer', signer, '--book <file>'].join(' ');
}

/** The two sides for people. */
export const SIDES = { ethereum: 'Ethereum', partner: 'Partner chain' } as const;

/** Named values of a call or an event, as text. */
export function Arguments({
  values,
}: {
  readonly values: readonly { readonly name: string; readonly value: string }[];
}) {
  if (values.length === 0) return <span className="text-muted">none</span>;
  return (
    <ul className="font-mono text-[0.8125rem]">
      {values.map(({ name, value }) => (
        <li key={name} className="wrap-anywhere">
          <span className="text-muted">{name} = </span>
          {value}
        </li>
      ))}
    </ul>
  );
}
