import type { Hex } from 'viem';
import { ADMIN_ROLES } from '../roles.js';

/** A field of a request. Its type says how it is checked, and what its unit is. */
export interface Field {
  /** Beside its value, for people. */
  readonly label: string;
  /** `id`: 32 bytes. `amount`: atomic units of the asset, as text. */
  readonly type: 'id' | 'address' | 'amount' | 'choice';
  /** Of a choice. */
  readonly choices?: readonly string[];
  /** The refusal of another choice, after the name of the field. */
  readonly rule?: string;
}

/** Every field that the terms of a request can have. */
export const FIELDS = {
  operationId: { label: 'Operation', type: 'id' },
  refundId: { label: 'Refund', type: 'id' },
  intentId: { label: 'Intent', type: 'id' },
  recipient: { label: 'Recipient', type: 'address' },
  amount: { label: 'Amount', type: 'amount' },
  address: { label: 'Address', type: 'address' },
  role: { label: 'Role', type: 'choice', choices: ADMIN_ROLES },
  target: {
    label: 'Target',
    type: 'choice',
    choices: ['ethereum', 'partner', 'deliveries'],
    rule: 'must be ethereum, partner or deliveries',
  },
  /** `reorg`: lost final blocks; `unknown`: unknown deliveries that were looked at. */
  accept: {
    label: 'Accepts',
    type: 'choice',
    choices: ['nothing', 'reorg', 'unknown'],
    rule: 'must be nothing, reorg or unknown',
  },
} as const satisfies Readonly<Record<string, Field>>;

/** The name of a field. */
export type FieldName = keyof typeof FIELDS;

/** The values of some fields. Ids and addresses are lower-case. */
export type FieldValues<Names extends FieldName> = {
  readonly [Name in Names]: ValueOf<(typeof FIELDS)[Name]>;
};

type ValueOf<F extends Field> = F extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : F extends { readonly type: 'amount' }
    ? string
    : Hex;
