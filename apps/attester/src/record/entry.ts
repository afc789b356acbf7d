import { createHash } from 'node:crypto';
import type { Side, TransferKey } from '@causeway/verifier';
import type { Hex } from 'viem';
import { z } from 'zod';

/** A signature for one delivery or refund. Of a batch each payment has an entry. */
export interface SignedEntry {
  readonly kind: 'DELIVERY' | 'REFUND';
  /** Of the operation or the refund. */
  readonly id: Hex;
  readonly transfer: TransferKey;
  /** A hash of all that the call pays, without the set and the end of the signature. */
  readonly terms: Hex;
  /** The chain that pays. */
  readonly side: Side;
  readonly asset: string;
  /** With the fee, in atomic units. */
  readonly amount: bigint;
  /** Unix seconds of that chain. */
  readonly validUntil: bigint;
  /** How the origin was proven. */
  readonly proof: 'RECEIPT';
  /** Epoch milliseconds of this machine. */
  readonly signedAtMs: number;
}

const hex = z.string().regex(/^0x[0-9a-f]{64}$/) as unknown as z.ZodType<Hex>;
const whole = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);
const entrySchema = z.strictObject({
  kind: z.enum(['DELIVERY', 'REFUND']),
  id: hex,
  transfer: z.strictObject({ chainId: z.int(), transactionHash: hex, callIndex: z.int() }),
  terms: hex,
  side: z.enum(['ethereum', 'partner']),
  asset: z.string(),
  amount: whole,
  validUntil: whole,
  proof: z.literal('RECEIPT'),
  signedAtMs: z.int(),
});
/** Writes an entry as a line: its number, a checksum of all else, and the fields. */
export function encodeLine(number: number, entry: SignedEntry): string {
  const json = JSON.stringify(entry, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  return `${number} ${computeChecksum(number, json)} ${json}\n`;
}

/** Reads a line without its end; null when it is damaged. */
export function decodeLine(line: string): { readonly number: number; readonly entry: SignedEntry } | null {
  const [, digits = '', checksum, json = ''] = /^([1-9]\d{0,14}) ([0-9a-f]{16}) (\{.*\})$/.exec(line) ?? [];
  const number = Number(digits);
  if (checksum === undefined || checksum !== computeChecksum(number, json)) return null;
  const parsed = entrySchema.safeParse(JSON.parse(json));
  return parsed.success ? { number, entry: parsed.data } : null;
}

/** 64 bits of SHA-256: chance damages a line and its checksum alike once in 2^64 times. */
function computeChecksum(number: number, json: string): string {
  return createHash('sha256').update(`${number} ${json}`).digest('hex').slice(0, 16);
}

/** A text that is equal for the keys of one transfer. */
export function toTransferText({ chainId, transactionHash, callIndex }: TransferKey): string {
  return `${chainId} ${transactionHash} ${callIndex}`;
}
