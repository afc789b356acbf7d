import { fromRlp, type Hex } from 'viem';
import { hex } from './hex.js';

/** What RLP holds: bytes, or a list of what RLP holds. */
type RlpBytes = Uint8Array | readonly RlpBytes[];
/** The same as text. */
type RlpItem = Hex | readonly RlpItem[];

const SIGNATURE = ['v', 'r', 's'] as const;
const BODY = ['gas', 'to', 'value', 'input'] as const;

/** The fields of a signed transaction in the order of its RLP, by type: EIP-155, EIP-2930, EIP-1559, EIP-7702. */
const LAYOUTS = {
  '0x0': ['nonce', 'gasPrice', ...BODY, ...SIGNATURE],
  '0x1': ['chainId', 'nonce', 'gasPrice', ...BODY, 'accessList', ...SIGNATURE],
  '0x2': ['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas', ...BODY, 'accessList', ...SIGNATURE],
  '0x4': [
    'chainId',
    'nonce',
    'maxPriorityFeePerGas',
    'maxFeePerGas',
    ...BODY,
    'accessList',
    'authorizationList',
    ...SIGNATURE,
  ],
} as const;

/** The types of transaction this chain has. */
export type TransactionType = keyof typeof LAYOUTS;

/** A signed transaction as it stands in RLP: empty quantities are `0x`. */
export interface TransactionFields {
  readonly type: TransactionType;
  /** One plain field; `0x` if the type has none of that name. */
  text(name: string): Hex;
  /** One list; empty if the type has none of that name. */
  list(name: string): readonly (readonly RlpItem[])[];
}

/** @throws Error for bytes that are no transaction of this chain. */
export function transactionFields(raw: Uint8Array): TransactionFields {
  const type = typeOf(raw);
  // In bytes, since viem makes text of them byte by byte.
  const items = fromRlp(type === '0x0' ? raw : raw.subarray(1), 'bytes') as readonly RlpBytes[];
  const layout: readonly string[] = LAYOUTS[type];
  const field = (name: string): RlpBytes | undefined => items[layout.indexOf(name)];
  return {
    type,
    text: (name) => {
      const value = field(name);
      return value instanceof Uint8Array ? hex(value) : '0x';
    },
    list: (name) => {
      const value = field(name);
      return value === undefined || value instanceof Uint8Array
        ? []
        : (value.map(toText) as readonly (readonly RlpItem[])[]);
    },
  };
}

function toText(item: RlpBytes): RlpItem {
  return item instanceof Uint8Array ? hex(item) : item.map(toText);
}

/** A legacy transaction begins like a list (0xc0 and above), a typed one with its type (EIP-2718). */
function typeOf(raw: Uint8Array): TransactionType {
  const first = raw[0] ?? 0;
  if (first >= 0xc0) return '0x0';
  const type = `0x${first}`;
  if (type in LAYOUTS) return type as TransactionType;
  throw new Error(`Transactions of type ${type} are none of this chain's`);
}
