import type { ContractCallsResponse, PrepareCallResponse } from '@causeway/protocol/admin';
import { ADMIN } from '../session/no-wallet.js';

/** A decoded transaction of a contract call. */
export type Transaction = PrepareCallResponse['transactions'][number];

/** Who signs a transaction and why, as the audit log records it. */
export interface Sending {
  readonly command: string;
  readonly reason: string;
  readonly account: string;
}

/** A call that was prepared, with what it was prepared from. */
export interface Prepared extends Sending {
  /** Its words on the command line, from the name of the call on. */
  readonly commandLine: string;
  readonly answer: PrepareCallResponse;
}

/** The command that prepares and sends the same call without the console. */
export function sendCommand({ commandLine }: Prepared): string {
  return `${ADMIN} ${commandLine} --book <file> --ethereum-rpc <url> --partner-rpc <url> --keystore <file> --send`;
}

/** The command that computes the hashes of a call from the address book, on the member's own machine. */
export function hashCommand({ commandLine, account }: Prepared): string {
  return `${ADMIN} hash ${commandLine} --signer ${account} --book <file>`;
}

/**
 * A call with its options as the command line has them.
 *
 * @param definition the call, with its options.
 * @param options the values of the form, by name.
 */
export function commandLineOf(
  { command, options: definitions }: ContractCallsResponse['calls'][number],
  options: Readonly<Record<string, string>>,
): string {
  const words = definitions.flatMap(({ name, choices, fallback }) => {
    const value = options[name];
    if (value === undefined) return [];
    // A switch of the command line: it has no value there.
    if (choices?.join() === 'yes,no' && fallback === 'no') return value === 'yes' ? [`--${name}`] : [];
    return [`--${name}`, /^[\w.:-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`];
  });
  return [command, ...words].join(' ');
}

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
