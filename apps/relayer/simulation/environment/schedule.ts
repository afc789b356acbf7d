import type { Asset, Side } from '@causeway/protocol';
import { Random } from './random.ts';

/** The faults of a node. At most one node of a chain has a fault at a time, as the quorum assumes. */
const NODE_FAULTS = [
  'down',
  'silent',
  'slow',
  'lags',
  'is stuck',
  'forgets',
  'answers twice',
  'refuses broadcasts',
  'swallows broadcasts',
  'hides logs',
  'other head',
  'other balance',
  'other returns',
  'other receipts',
  'invented deposit',
  'invented transfer',
  'invented block',
] as const;
export type NodeFault = (typeof NODE_FAULTS)[number];

/** The faults of a mirror. At most one mirror lies at a time; all can be down or lag. */
const MIRROR_FAULTS = ['down', 'lags', 'hides', 'invents', 'names another payer'] as const;
export type MirrorFault = (typeof MIRROR_FAULTS)[number];

/** How a payment of native XCN to the wallet goes right or wrong. */
const PAYMENTS = [
  'right',
  'early',
  'after a stranger',
  'at the last moment',
  'late',
  'twice',
  'twins',
  'late twin',
  'wrong amount',
  'no intent',
  'revoked',
] as const;
export type Payment = (typeof PAYMENTS)[number];
/** How coin gets from its sender to the wallet. */
export const WAYS = ['plain', 'forwarded', 'account', 'bundle'] as const;
export type Way = (typeof WAYS)[number];

/** Something sent to the relayer wallet by mistake. Tokens always go the plain way. */
export interface Mistake {
  readonly side: Side;
  readonly asset: Asset;
  readonly user: number;
  readonly way: 'plain' | 'forwarded' | 'ended';
  /** Dust is kept. A small amount of ETH is not worth the gas of its refund. */
  readonly size: 'usual' | 'small' | 'dust';
}

/** An outside event. Times in milliseconds after the start. */
export type Happening = { readonly atMs: number } & (
  | { readonly kind: 'deposit' | 'burn' | 'withdraw'; readonly asset: Asset; readonly user: number }
  | (Mistake & { readonly kind: 'mistake' })
  | {
      readonly kind: 'intent';
      readonly user: number;
      readonly payment: Payment;
      readonly way: Way;
      /** `isBound`: the client names its transaction to the API. `isNamed`: the payment's data names the intent. */
      readonly isBound: boolean;
      readonly isNamed: boolean;
    }
  | { readonly kind: 'strange bind' }
  | {
      readonly kind: 'node fault';
      readonly side: Side;
      readonly node: number;
      readonly fault: NodeFault;
      readonly forMs: number;
    }
  | {
      readonly kind: 'mirror fault';
      /** Null: all mirrors. */
      readonly mirror: number | null;
      readonly fault: MirrorFault;
      readonly forMs: number;
    }
  | { readonly kind: 'database fault' | 'slow database'; readonly forMs: number }
  | { readonly kind: 'reorg'; readonly side: Side; readonly depth: number; readonly isLossy: boolean }
  | { readonly kind: 'fees'; readonly side: Side; readonly factor: number; readonly forMs: number }
  | { readonly kind: 'drop'; readonly side: Side }
  | { readonly kind: 'pause'; readonly side: Side; readonly forMs: number }
  | {
      readonly kind: 'limit';
      readonly side: Side;
      /** The limit shrinks while a delivery is in the pool. */
      readonly isRacing: boolean;
      readonly forMs: number;
    }
  | { readonly kind: 'foreign nonce'; readonly side: Side; /** By a reorg. */ readonly isUndone: boolean }
  | {
      readonly kind: 'crash';
      readonly relayer: number;
      /** Requests and timers before the crash. */
      readonly afterEvents: number;
      readonly forMs: number;
    }
  | { readonly kind: 'freeze'; readonly relayer: number; readonly forMs: number }
  | { readonly kind: 'clock jump'; readonly relayer: number; readonly byMs: number; readonly forMs: number }
  /** The wallet is short of coin on the partner chain. */
  | { readonly kind: 'short float'; readonly forMs: number }
  /** BridgeLock already has another relayer, but BridgeMint does not. */
  | { readonly kind: 'half rotation'; readonly forMs: number }
  /** A thief with the relayer's key pays for something that never happened. */
  | { readonly kind: 'forged delivery'; readonly side: Side }
  /** The thief uses up the number of an operation. The admin reopens it, and every paid number too if `isWide`. */
  | { readonly kind: 'used-up number'; readonly side: Side; readonly isWide: boolean }
);

/** A run of the simulation. The seed orders everything, and the happenings are all outside events. */
export interface Schedule {
  readonly seed: number;
  readonly happenings: readonly Happening[];
}

/** How long things happen, in milliseconds. Afterwards all faults end, and everything must complete. */
const ACTIVE_MS = 90_000;
const LONGEST_FAULT_MS = 30_000;
const USERS = 3;
const ASSETS = ['ETH', 'USDC', 'XCN'] as const;
const SIDES = ['ethereum', 'partner'] as const;
/** Each chain has three nodes, the partner chain has three mirrors, and the bridge has two relayers. */
const [NODES, MIRRORS, RELAYERS] = [3, 3, 2];

const ALONE: ReadonlySet<string> = new Set(['node fault', 'mirror fault', 'short float', 'half rotation']);

/** Plans a schedule from a seed. Pure. */
export function planSchedule(seed: number): Schedule {
  const random = new Random(seed);
  const operations = Array.from({ length: random.int(2, 5) }, () => planOperation(random)).flatMap((each) =>
    // Two together can form a batch.
    random.chance(0.3) ? [each, { ...each, atMs: each.atMs + 1 }] : [each],
  );
  const faults = Array.from({ length: random.int(0, 5) }, () => planFault(random));
  const happenings = [...operations, ...faults].toSorted((one, other) => one.atMs - other.atMs);
  return { seed, happenings: withoutOverlaps(happenings) };
}

function planOperation(random: Random): Happening {
  const atMs = random.int(0, ACTIVE_MS * 0.6);
  const [user, asset] = [random.int(0, USERS - 1), random.pick(ASSETS)];
  const kind = random.pick([
    'deposit',
    'deposit',
    'burn',
    'withdraw',
    'intent',
    'intent',
    'intent',
    'mistake',
    'mistake',
    'strange bind',
  ] as const);
  switch (kind) {
    case 'intent': {
      const payment = random.chance(0.5) ? 'right' : random.pick(PAYMENTS);
      const way = payment === 'revoked' ? 'account' : random.chance(0.4) ? 'plain' : random.pick(WAYS);
      return { atMs, kind, user, payment, way, isBound: random.chance(0.5), isNamed: random.chance(0.3) };
    }
    case 'mistake': {
      const side = random.pick(SIDES);
      const way = random.pick(['plain', 'forwarded', 'ended'] as const);
      return { atMs, kind, side, asset, user, way, size: random.pick(['usual', 'usual', 'small', 'dust'] as const) };
    }
    case 'strange bind':
      return { atMs, kind };
    default:
      return { atMs, kind, user, asset };
  }
}

function planFault(random: Random): Happening {
  const atMs = random.int(0, ACTIVE_MS - LONGEST_FAULT_MS);
  const forMs = random.int(1_000, LONGEST_FAULT_MS);
  const [side, relayer] = [random.pick(SIDES), random.int(0, RELAYERS - 1)];
  const kind = random.pick([
    'node fault',
    'node fault',
    'crash',
    'crash',
    'freeze',
    'reorg',
    'reorg',
    'fees',
    'drop',
    'pause',
    'limit',
    'foreign nonce',
    'mirror fault',
    'database fault',
    'slow database',
    'clock jump',
    'short float',
    'half rotation',
    ...(random.chance(0.1) ? (['forged delivery'] as const) : []),
    ...(random.chance(0.5) ? (['used-up number'] as const) : []),
  ] as const);
  switch (kind) {
    case 'node fault':
      return { atMs, kind, side, node: random.int(0, NODES - 1), fault: random.pick(NODE_FAULTS), forMs };
    case 'crash':
      return { atMs, kind, relayer, afterEvents: random.int(0, 80), forMs };
    case 'freeze':
      return { atMs, kind, relayer, forMs };
    case 'clock jump':
      return { atMs, kind, relayer, byMs: random.int(-60_000, 60_000), forMs };
    case 'reorg': {
      // A reorg of final blocks loses no transaction, since a lost one could never be recovered.
      const depth = random.pick([1, 1, 2, 2, 3, 5]);
      return { atMs, kind, side, depth, isLossy: depth < 3 && random.chance(0.4) };
    }
    case 'foreign nonce':
      return { atMs, kind, side, isUndone: random.chance(0.7) };
    case 'used-up number':
      return { atMs, kind, side, isWide: random.chance(0.3) };
    case 'fees':
      return { atMs, kind, side, factor: random.int(2, 20), forMs };
    case 'mirror fault': {
      const fault = random.pick(MIRROR_FAULTS);
      const isOfAll = random.chance(0.5) && (fault === 'down' || fault === 'lags');
      return { atMs, kind, mirror: isOfAll ? null : random.int(0, MIRRORS - 1), fault, forMs };
    }
    case 'database fault':
    case 'slow database':
    case 'half rotation':
      return { atMs, kind, forMs };
    case 'short float':
      return { atMs: 0.3 * atMs, kind, forMs: forMs + LONGEST_FAULT_MS };
    case 'pause':
      return { atMs, kind, side, forMs };
    case 'limit':
      return { atMs, kind, side, isRacing: random.chance(0.7), forMs };
    default:
      return { atMs, kind, side };
  }
}

/**
 * At most one node of a chain is faulty and at most one mirror lies at a time, since a majority must be right. A short
 * float and a half rotation do not overlap with themselves either.
 */
function withoutOverlaps(happenings: readonly Happening[]): Happening[] {
  const faultyUntil = new Map<string, number>();
  return happenings.filter((happening) => {
    if (!ALONE.has(happening.kind) || !('forMs' in happening)) return true;
    if (happening.kind === 'mirror fault' && (happening.fault === 'down' || happening.fault === 'lags')) return true;
    const { kind, atMs, forMs } = happening;
    const group = kind === 'node fault' ? happening.side : kind;
    if ((faultyUntil.get(group) ?? 0) > atMs) return false;
    faultyUntil.set(group, atMs + forMs);
    return true;
  });
}
