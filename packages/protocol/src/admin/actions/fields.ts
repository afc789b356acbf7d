import type { Hex } from 'viem';
import { ADMIN_ROLES } from '../roles.js';

/** A field of a request. The type determines its validation and unit. */
export interface Field {
  /** Label for people. */
  readonly label: string;
  /** `id`: 32 bytes. `amount`: atomic units as text. */
  readonly type: 'id' | 'address' | 'amount' | 'choice';
  /** Values of a choice. */
  readonly choices?: readonly string[];
  /** Error text for another choice, after the field's name. */
  readonly rule?: string;
}

/** All fields of request terms. */
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
  /** `reorg`: accept lost final blocks. `unknown`: accept inspected unknown deliveries. */
  accept: {
    label: 'Accepts',
    type: 'choice',
    choices: ['nothing', 'reorg', 'unknown'],
    rule: 'must be nothing, reorg or unknown',
  },
} as const satisfies Readonly<Record<string, Field>>;

/** The name of a field. */
export type FieldName = keyof typeof FIELDS;

/** Values of a set of fields. Ids and addresses are lower-case. */
export type FieldValues<Names extends FieldName> = {
  readonly [Name in Names]: ValueOf<(typeof FIELDS)[Name]>;
};

type ValueOf<F extends Field> = F extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : F extends { readonly type: 'amount' }
    ? string
    : Hex;
