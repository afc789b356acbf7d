import { bridgeLockAbi } from '@causeway/contracts/abi';
import { decodeEventLog, zeroHash, type Address, type Hex } from 'viem';
import { getSelectors } from '../blocks/events.js';
import type { Header } from '../blocks/header.js';
import { recoverSigner } from '../checks/key-signature.js';
import { readFinalHeaders, type FinalHeaders, type Verifier } from '../verifier.js';
import { readFinalPair, withoutNegative, WrongPairError } from './read-reserves.js';
import { DAY_SECONDS, reservesDigest, type AssetReserves, type SignedReserves } from './statement.js';

/** An attester set of BridgeLock, from a block on. */
export interface PlacedAttesterSet {
  readonly setNumber: bigint;
  readonly members: readonly Address[];
  readonly threshold: number;
  readonly blockNumber: bigint;
}

/** A kind of error in a statement. `LINK`: the chain of hashes. `SHORT`: its own numbers show too little collateral. */
export interface ReservesProblem {
  readonly day: bigint;
  readonly code: 'LINK' | 'BLOCKS' | 'SIGNATURES' | 'NUMBERS' | 'SHORT';
  readonly why: string;
}

export interface CheckOptions {
  /**
   * Computes the reserves at the blocks of a statement; null to leave the numbers out. The statements are passed from
   * the oldest to the newest.
   */
  readonly readNumbers: (pair: FinalHeaders) => Promise<readonly AssetReserves[] | null>;
  /** Whether `locked` comes from the contract. Events do not show what was sent to it without a deposit. */
  readonly isLockedRead: boolean;
  /** Whether the statements begin with the bridge's first one. */
  readonly isWhole: boolean;
}

/**
 * Checks statements: that each names the digest of the one before, that the attesters of its time signed it, and that
 * its numbers are those of the chains.
 *
 * @param statements in any order.
 * @returns the problems, oldest first; none when all is right.
 * @throws NoQuorumError when the nodes leave it undecided.
 */
export async function checkStatements(
  statements: readonly SignedReserves[],
  verifier: Verifier,
  { readNumbers, isLockedRead, isWhole }: CheckOptions,
): Promise<readonly ReservesProblem[]> {
  const domain = verifier.settings.ethereum;
  const finals = await readFinalHeaders(verifier);
  const sets = await readAttesterSets(verifier, finals.ethereum);
  const ordered = statements.toSorted((a, b) => (a.statement.day < b.statement.day ? -1 : 1));
  const problems: ReservesProblem[] = [];
  let expected: Hex | null = isWhole ? zeroHash : null;
  const last = { ethereum: 0n, partner: 0n };
  for (const [index, signed] of ordered.entries()) {
    const { statement } = signed;
    const { day } = statement;
    const note = (code: ReservesProblem['code'], whys: readonly (string | null)[]) => {
      for (const why of whys) if (why !== null) problems.push({ day, code, why });
    };
    if (ordered[index - 1]?.statement.day === day) note('LINK', ['There are two statements of this day.']);
    if (expected !== null && statement.previous !== expected)
      note('LINK', [`It follows ${statement.previous}, and the statement before is ${expected}.`]);
    const digest = reservesDigest(statement, domain);
    expected = digest;
    note('SHORT', statement.assets.map(findShortage));
    const set = sets.findLast(({ blockNumber }) => blockNumber <= statement.ethereumBlock);
    note('SIGNATURES', [await findUnsigned(signed, digest, set)]);
    try {
      const pair = await readFinalPair(verifier, statement, finals);
      for (const side of ['ethereum', 'partner'] as const) {
        const { number } = pair[side];
        if (number < last[side]) throw new WrongPairError(`Block ${number} of ${side} is before that of a day before.`);
        last[side] = number;
      }
      if (pair.partner.timestamp / DAY_SECONDS !== day)
        note('BLOCKS', [`Its partner block is of day ${pair.partner.timestamp / DAY_SECONDS}.`]);
      const computed = await readNumbers(pair);
      if (computed !== null) note('NUMBERS', compareAssets(statement.assets, computed, isLockedRead));
    } catch (error) {
      if (!(error instanceof WrongPairError)) throw error;
      note('BLOCKS', [error.message]);
    }
  }
  return problems;
}

/**
 * Reads the attester sets of BridgeLock up to a block, the one in force last.
 *
 * @throws NoQuorumError
 */
export async function readAttesterSets(
  { readers, settings }: Verifier,
  until: Header,
): Promise<readonly PlacedAttesterSet[]> {
  const { contract: address, deployedAtBlock: fromBlock } = settings.ethereum;
  const topics = getSelectors(bridgeLockAbi, ['AttestersSet']);
  const logs = await readers.ethereum.logs({ address, topics, fromBlock, toBlock: until.number }, until);
  return logs.map(({ data, topics: found, blockNumber }) => {
    const signature = found as [Hex, ...Hex[]];
    const { args } = decodeEventLog({ abi: bridgeLockAbi, eventName: 'AttestersSet', data, topics: signature });
    const members = args.attesters.map((member) => member.toLowerCase() as Address);
    return { setNumber: args.setNumber, members, threshold: Number(args.threshold), blockNumber };
  });
}

/** Why a statement is not signed by the set in force; null when it is. */
async function findUnsigned(
  { setNumber, signatures }: SignedReserves,
  digest: Hex,
  set: PlacedAttesterSet | undefined,
): Promise<string | null> {
  if (set === undefined || set.threshold === 0) return 'No attester set was in force.';
  if (set.setNumber !== setNumber) return `It names attester set ${setNumber}, and set ${set.setNumber} was in force.`;
  const signers = new Set<string>();
  for (const { attester, signature } of signatures) {
    if ((await recoverSigner(digest, signature)) !== attester)
      return `The signature of ${attester} is of another statement or key.`;
    if (!set.members.includes(attester)) return `${attester} was not an attester.`;
    signers.add(attester);
  }
  return signers.size < set.threshold ? `${signers.size} attesters signed it, and ${set.threshold} must.` : null;
}

/** Why an asset is not covered; null when it is. */
export function findShortage({ asset, locked, supply, held, inFlight }: AssetReserves): string | null {
  const owed = supply - held + inFlight;
  return locked >= owed ? null : `${locked} of ${asset} are locked, and ${owed} are owed.`;
}

/** How stated reserves differ from computed ones, one sentence for each number. */
export function compareAssets(
  stated: readonly AssetReserves[],
  computed: readonly AssetReserves[],
  isLockedRead: boolean,
): readonly string[] {
  const names = (assets: readonly AssetReserves[]) => assets.map(({ asset }) => asset).join(', ');
  if (names(stated) !== names(computed)) return [`It is of ${names(stated)} instead of ${names(computed)}.`];
  return stated.flatMap((one, index) => {
    const other = withoutNegative(computed[index] ?? one);
    return (['locked', 'supply', 'held', 'inFlight', 'fees'] as const).flatMap((field) => {
      const isRight = field === 'locked' && !isLockedRead ? one.locked >= other.locked : one[field] === other[field];
      return isRight ? [] : [`${field} of ${one.asset} is ${other[field]}, and it states ${one[field]}.`];
    });
  });
}
