import { encodeAbiParameters, getAddress, keccak256, stringToHex, type Address, type Hex } from 'viem';
import { z } from 'zod';

/** A transaction without a signature. */
export interface CallTerms {
  readonly chainId: number;
  readonly to: Address;
  /** Wei. */
  readonly value: bigint;
  readonly data: Hex;
}

/**
 * The hash that identifies a transaction in the console and on the command line: keccak256 of abi.encode(uint256
 * chainId, address to, uint256 value, bytes data).
 */
export function callHash({ chainId, to, value, data }: CallTerms): Hex {
  const types = [{ type: 'uint256' }, { type: 'address' }, { type: 'uint256' }, { type: 'bytes' }] as const;
  return keccak256(encodeAbiParameters(types, [BigInt(chainId), to, value, data]));
}

/** A file of a Safe's Transaction Builder, version 1.0. */
export const safeFileSchema = z.looseObject({
  version: z.literal('1.0', 'must be 1.0'),
  chainId: z.string().regex(/^[1-9]\d{0,15}$/, 'must be a chain id in decimal'),
  createdAt: z.int(),
  meta: z.looseObject({ checksum: z.string() }),
  transactions: z
    .array(
      z.looseObject({
        to: z
          .string()
          .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
          .transform((text) => text as Address),
        value: z.string().regex(/^\d{1,78}$/, 'must be wei in decimal'),
        data: z
          .string()
          .regex(/^0x([0-9a-fA-F]{2})*$/, 'must be hex')
          .transform((text) => text as Hex),
      }),
    )
    .min(1),
});
/** A parsed file of a Safe's Transaction Builder. */
export type SafeFile = z.output<typeof safeFileSchema>;

/** Builds a file for the Transaction Builder of a Safe on one chain. */
export function safeFile(input: {
  readonly chainId: number;
  readonly safe: Address;
  readonly description: string;
  readonly createdAt: Date;
  readonly transactions: readonly Omit<CallTerms, 'chainId'>[];
}): SafeFile {
  const { chainId, safe, description, createdAt, transactions } = input;
  const file = {
    version: '1.0' as const,
    chainId: String(chainId),
    createdAt: createdAt.getTime(),
    // Some versions of the builder include the name in the checksum, others replace it by null; null suits both.
    meta: {
      name: null,
      description,
      txBuilderVersion: '1.18.0',
      createdFromSafeAddress: getAddress(safe),
      createdFromOwnerAddress: '',
    },
    transactions: transactions.map(({ to, value, data }) => ({
      to: getAddress(to),
      value: value.toString(),
      data,
      contractMethod: null,
      contractInputsValues: null,
    })),
  };
  return { ...file, meta: { ...file.meta, checksum: computeChecksum(file) } };
}

/** Whether the checksum of a file is right. Anyone can compute it: it detects mistakes, not attackers. */
export function isChecksumRight({ meta: { checksum, ...meta }, ...file }: SafeFile): boolean {
  return computeChecksum({ ...file, meta }) === checksum;
}

/** The checksum of the Transaction Builder: keccak256 of the fields sorted by name. */
function computeChecksum(file: unknown): Hex {
  return keccak256(stringToHex(serialize(file)));
}

function serialize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(serialize).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const names = JSON.stringify(entries.map(([name]) => name));
  return `{${names}${entries.map(([, field]) => `${serialize(field)},`).join('')}}`;
}
