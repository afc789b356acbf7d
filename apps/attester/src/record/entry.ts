import { createHash } from 'node:crypto';
import type { Side, TransferKey } from '@causeway/verifier';
import type { Hex } from 'viem';
import { z } from 'zod';

/** A signature for one delivery or refund. Each payment of a batch has an entry. */
export interface SignedEntry {
  readonly kind: 'DELIVERY' | 'REFUND';
  /** The id of the operation or refund. */
  readonly id: Hex;
  readonly transfer: TransferKey;
  /** A hash of the call's terms, without the attester set and the end of validity. */
  readonly terms: Hex;
  /** The chain that pays. */
  readonly side: Side;
  readonly asset: string;
  /** Fee included, in atomic units. */
  readonly amount: bigint;
  /** Unix seconds in the paying chain's time. */
  readonly validUntil: bigint;
  /** How the origin was proven. */
  readonly proof: 'RECEIPT';
  /** Epoch milliseconds by this machine's clock. */
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
/** Encodes an entry as a line: its number, a checksum, and the fields as JSON. */
export function encodeLine(number: number, entry: SignedEntry): string {
  const json = JSON.stringify(entry, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
  return `${number} ${computeChecksum(number, json)} ${json}\n`;
}

/** Decodes a line without its line break; null when it is damaged. */
export function decodeLine(line: string): { readonly number: number; readonly entry: SignedEntry } | null {
  const [, digits = '', checksum, json = ''] = /^([1-9]\d{0,14}) ([0-9a-f]{16}) (\{.*\})$/.exec(line) ?? [];
  const number = Number(digits);
  if (checksum === undefined || checksum !== computeChecksum(number, json)) return null;
  const parsed = entrySchema.safeParse(JSON.parse(json));
  return parsed.success ? { number, entry: parsed.data } : null;
}

/** 64 bits of SHA-256: random damage goes undetected with a probability of 2^-64. */
function computeChecksum(number: number, json: string): string {
  return createHash('sha256').update(`${number} ${json}`).digest('hex').slice(0, 16);
}

/** A map key that identifies a transfer. */
export function toTransferText({ chainId, transactionHash, callIndex }: TransferKey): string {
  return `${chainId} ${transactionHash} ${callIndex}`;
}
