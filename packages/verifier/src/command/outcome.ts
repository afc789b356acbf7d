import type { Finding } from '../ledger/finding.js';
import type { Evidence } from '../state/check-state.js';
import type { Exit } from './exit-codes.js';
import { CHAIN_NAMES, SIDES, type Setup } from './setup.js';

/** The result of a run. */
export interface Outcome {
  readonly result: Extract<Exit, 'right' | 'undecided' | 'wrong'>;
  /** Why it is not right; empty if it is. */
  readonly why: readonly string[];
  /** Whose word was taken without a proof or other nodes. */
  readonly trusted: readonly string[];
}

/** The facts that decide the result. */
interface Found {
  readonly findings: readonly Finding[];
  readonly open: readonly string[];
  readonly evidence: readonly Evidence[];
}

/** Decides the result of a run. Pure. */
export function decide(
  { findings, open, evidence }: Found,
  trustsNodes: boolean,
  { nodes }: Pick<Setup, 'nodes'>,
): Outcome {
  const unproven = evidence.filter(isUnproven).map(({ what, side }) => `${what} (${CHAIN_NAMES[side]})`);
  const words = unproven.map((what) => `No node proves ${what}: it is the word of the nodes.`);
  const ofOne = SIDES.flatMap((side) => {
    const own = nodes.filter((node) => node.side === side);
    return own.length === 1 ? [`All of ${CHAIN_NAMES[side]} is the word of ${own[0]?.node}.`] : [];
  });
  const trusted = [...ofOne, ...(trustsNodes ? words : [])];
  if (findings.length > 0) return { result: 'wrong', why: findings.map(describe), trusted };
  const why = [...open, ...(trustsNodes ? [] : words)];
  return { result: why.length > 0 ? 'undecided' : 'right', why, trusted };
}

/** With the operation and the transaction, where the finding has them: an outsider looks for both. */
function describe({ code, side, asset, id, transactionHash, why }: Finding): string {
  const place = [asset, id, transactionHash && `transaction ${transactionHash} of ${CHAIN_NAMES[side]}`];
  const known = place.filter(Boolean).join(', ');
  return `${code}${known && ` (${known})`}: ${why}`;
}

function isUnproven({ by, isProvable }: Evidence): boolean {
  return by === 'QUORUM' && isProvable;
}
