import { bridgeMintAbi } from '@causeway/contracts/abi';
import { encodeFunctionData, keccak256, parseAbi, size, type Hex } from 'viem';
import type { Header } from '../blocks/header.js';
import { computeIntentId, type Intent } from '../digests/ids.js';
import { NoQuorumError, type QuorumReader, type REVERTED } from '../nodes/quorum-reader.js';
import type { Acceptance } from '../record.js';
import { COIN } from '../settings.js';
import { conclude, refuse, type NotYet, type Refusal } from '../verdict.js';
import type { Verifier } from '../verifier.js';
import { readContract } from './contract-reads.js';
import { recoverSigner } from './key-signature.js';

/** An intent, and the block of BridgeMint's chain at which the API judged it. */
export interface AcceptedIntent {
  readonly intent: Intent;
  readonly judgedAtBlock: bigint;
}

export type AcceptanceVerdict = { readonly kind: 'ACCEPTED'; readonly acceptance: Acceptance } | NotYet | Refusal;

const ERC1271 = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);
/** The complete answer of an account that accepts. */
const MAGIC: Hex = `0x1626ba7e${'0'.repeat(56)}`;
/** The code of an account that delegates to a contract and keeps its key (EIP-7702). */
const DELEGATION = '0xef0100';
/** BridgeLock's limit for a signature. */
const MAX_SIGNATURE_BYTES = 1_024;

/**
 * Judges an intent at its acceptance, since nodes without an archive soon drop the state of that block. Keep the answer
 * in the record: a later delivery uses it while the block is on the chain.
 */
export async function judgeAcceptance(item: AcceptedIntent, verifier: Verifier): Promise<AcceptanceVerdict> {
  const judge = async (): Promise<AcceptanceVerdict> => {
    const header = await verifier.readers.partner.headerAt(item.judgedAtBlock);
    return { kind: 'ACCEPTED', acceptance: await readAcceptance(item, header, verifier) };
  };
  return conclude(judge, verifier.now);
}

/** The acceptance at a block: from the record if its block is unchanged, otherwise from the chain. */
export async function findAcceptance(item: AcceptedIntent, header: Header, verifier: Verifier): Promise<Acceptance> {
  const intentId = computeIntentId(verifier.settings.partner, item.intent);
  const known = await verifier.record.findAcceptance(intentId);
  const isKnown = known?.blockHash === header.hash && known.signatureHash === keccak256(item.intent.signature);
  return isKnown ? known : readAcceptance(item, header, verifier);
}

async function readAcceptance({ intent }: AcceptedIntent, header: Header, verifier: Verifier): Promise<Acceptance> {
  const { partner } = verifier.settings;
  const intentId = computeIntentId(partner, intent);
  await checkSignature(intent, intentId, header, verifier);
  const read = { abi: bridgeMintAbi, functionName: 'feePolicy', args: [COIN] } as const;
  const policy = await readContract(verifier.readers.partner, {
    blockHash: header.hash,
    address: partner.contract,
    ...read,
  });
  const [bps, minFee, minAmount] = policy as readonly [number, bigint, bigint];
  if (minAmount === 0n) return refuse('WRONG_TOKEN', 'BridgeMint had no policy for native XCN.');
  if (intent.amount < minAmount) return refuse('BELOW_MINIMUM', `It is ${intent.amount}, below ${minAmount}.`);
  const fee = computeFee(intent.amount, BigInt(bps), minFee);
  const { number: blockNumber, hash: blockHash, timestamp } = header;
  return { intentId, signatureHash: keccak256(intent.signature), blockNumber, blockHash, timestamp, fee };
}

/** The fee of a withdrawal: max(amount * bps / 10000, minFee), with the division rounded down. */
export function computeFee(amount: bigint, bps: bigint, minFee: bigint): bigint {
  const share = (amount * bps) / 10_000n;
  return share < minFee ? minFee : share;
}

/** A key signs for an account without code or with a delegation. Every other account is asked (ERC-1271). */
async function checkSignature(intent: Intent, intentId: Hex, { hash }: Header, verifier: Verifier): Promise<void> {
  const { sender, signature } = intent;
  if (size(signature) > MAX_SIGNATURE_BYTES)
    return refuse(
      'SIGNATURE_INVALID',
      `It has ${size(signature)} bytes; BridgeLock accepts at most ${MAX_SIGNATURE_BYTES}.`,
    );
  const reader = verifier.readers.partner;
  const code = await reader.code(hash, sender);
  const hasOnlyKey = code === '0x';
  if (hasOnlyKey || (code.startsWith(DELEGATION) && size(code) === 23)) {
    if ((await recoverSigner(intentId, signature)) === sender) return;
    if (hasOnlyKey) return refuse('SIGNATURE_INVALID', 'The sender has no code, and its key did not sign.');
  }
  const answer = await askAccount(reader, hash, intent, intentId);
  if (answer !== MAGIC) refuse('SIGNATURE_INVALID', `isValidSignature returned ${answer.slice(0, 80)}.`);
}

async function askAccount(
  reader: QuorumReader,
  blockHash: Hex,
  { sender, signature }: Pick<Intent, 'sender' | 'signature'>,
  intentId: Hex,
): Promise<Hex | typeof REVERTED> {
  return reader.call(blockHash, sender, encodeFunctionData({ abi: ERC1271, args: [intentId, signature] }));
}

/**
 * Whether the sender of an intent signed it, by the state after any block. Null for a contract that does not confirm it
 * in that state: it may have done so before.
 */
export async function isSignedBySender(
  intent: Pick<Intent, 'sender' | 'signature'>,
  intentId: Hex,
  reader: QuorumReader,
  blockHash: Hex,
): Promise<boolean | null> {
  if ((await recoverSigner(intentId, intent.signature)) === intent.sender) return true;
  if ((await reader.code(blockHash, intent.sender)) === '0x') return false;
  try {
    return (await askAccount(reader, blockHash, intent, intentId)) === MAGIC ? true : null;
  } catch (error) {
    // A contract can answer each node differently, and must not stop its reader.
    if (error instanceof NoQuorumError) return null;
    throw error;
  }
}
