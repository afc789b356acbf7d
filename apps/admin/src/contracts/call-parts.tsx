import type { PrepareCallResponse } from '@causeway/protocol/admin';

/** A call that was prepared, with what it was prepared from. */
export interface Prepared {
  readonly command: string;
  readonly reason: string;
  readonly account: string;
  readonly answer: PrepareCallResponse;
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
