import { zeroAddress, type Address, type Hex } from 'viem';
import { readHex, readInteger, type DecodedEvent, type FieldValue } from '../blocks/events.js';
import type { Side } from '../nodes/finality.js';
import type { PlacedLog } from '../nodes/quorum-reader.js';
import type { BridgeSettings } from '../settings.js';
import type { Finding } from './finding.js';

/** The basis of a change of trust. */
export type TrustBasis = 'ANNOUNCED' | 'VOTED' | 'GUARDIAN' | 'DEPLOYMENT' | 'POLICY' | 'UNANNOUNCED';

/** A change of a key, a set, an office or a setting. */
export interface TrustChange {
  readonly side: Side;
  readonly contract: Address;
  /** The event. */
  readonly name: string;
  /** Its fields. */
  readonly text: string;
  readonly blockNumber: bigint;
  readonly transactionHash: Hex;
  /** The block of its announcement. */
  readonly announcedAt: bigint | null;
  readonly how: TrustBasis;
}

/** The changes of a transaction whose last event may not be read yet. */
interface OpenTransaction {
  readonly hash: Hex;
  readonly changes: readonly TrustChange[];
  readonly isVoted: boolean;
}

interface SideTrust {
  /** The last value by name of event or role. */
  readonly current: Readonly<Record<string, string>>;
  /** The blocks of announcements by the id of the call. */
  readonly scheduled: Readonly<Record<Hex, bigint>>;
  /** The admins and guardians of the contract until now. */
  readonly owners: readonly Address[];
  readonly guardians: readonly Address[];
  /** The transaction that deployed the contract. */
  readonly deployedIn: Hex | null;
  readonly open: OpenTransaction | null;
}

/** The books of trust, which change only by replacement. */
export interface TrustState {
  readonly sides: Readonly<Record<Side, SideTrust>>;
  readonly closed: readonly TrustChange[];
  readonly broken: readonly Finding[];
}

const NOTHING: SideTrust = { current: {}, scheduled: {}, owners: [], guardians: [], deployedIn: null, open: null };

/** The events that change trust, by the contract that emits them. */
const NAMES: Readonly<Record<'bridge' | 'owner' | 'guardian', ReadonlySet<string>>> = {
  bridge: new Set(
    (
      'RelayerChanged StandbyChanged GuardianChanged PolicyManagerChanged AttestersSet OwnershipTransferStarted ' +
      'OwnershipTransferred TreasurySet TokenListed ListingSet LimitCeilingSet OutflowLimitSet MaxAmountSet ' +
      'FeeCeilingSet FeePolicySet PauseSet Reopened IdReopened CreditRedirected SuccessorAnnounced ' +
      'SuccessionEnded BeginningsClosed HandedOver'
    ).split(' '),
  ),
  owner: new Set(['OfficeReplaced', 'MinDelayChange', 'CallScheduled', 'CallExecuted', 'Cancelled', 'VoteCarried']),
  guardian: new Set(['PauserAdded', 'PauserRemoved']),
};
/** The policy manager moves these within their ceilings. */
const POLICIES = new Set(['OutflowLimitSet', 'MaxAmountSet', 'FeePolicySet']);
/** Votes of two offices can do these immediately. */
const VOTABLE = new Set(['PauseSet', 'SuccessionEnded', 'OfficeReplaced']);
/** The fields of the value before and after a change. */
const LINKS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  RelayerChanged: ['previous', 'current'],
  GuardianChanged: ['previous', 'current'],
  PolicyManagerChanged: ['previous', 'current'],
  OwnershipTransferred: ['previousOwner', 'newOwner'],
  OfficeReplaced: ['former', 'account'],
  MinDelayChange: ['oldDuration', 'newDuration'],
};

/** Lists the changes of trust of both chains, checks that each follows from the one before, and finds its basis. */
export class TrustBooks {
  constructor(private state: TrustState = { sides: { ethereum: NOTHING, partner: NOTHING }, closed: [], broken: [] }) {}

  /** Changes replace the state, so that a fork can share it. */
  fork(): TrustBooks {
    return new TrustBooks(this.state);
  }

  toState(): TrustState {
    return this.state;
  }

  /** The admins and guardians of the contract until now. */
  watched(side: Side): readonly Address[] {
    const { owners, guardians } = this.state.sides[side];
    return [...owners, ...guardians];
  }

  get changes(): readonly TrustChange[] {
    const { ethereum, partner } = this.state.sides;
    return [...this.state.closed, ...classifyOpen(ethereum), ...classifyOpen(partner)];
  }

  get findings(): readonly Finding[] {
    const unannounced = this.changes.filter(({ how }) => how === 'UNANNOUNCED');
    return [
      ...this.state.broken,
      ...unannounced.map(({ name, text, ...place }) =>
        toFinding('UNANNOUNCED', place, `${name} (${text}) has neither an announcement nor a vote.`),
      ),
    ];
  }

  apply(side: Side, settings: BridgeSettings, event: DecodedEvent, log: PlacedLog): void {
    const { open } = this.state.sides[side];
    if (open !== null && open.hash !== log.transactionHash) this.close(side);
    const emitter = this.findEmitter(side, settings, log.address);
    if (emitter === null || !NAMES[emitter].has(event.name)) return;
    const { name, args } = event;
    if (name === 'CallScheduled') return this.schedule(side, readHex(args['id']), log.blockNumber);
    if (name === 'Cancelled') return this.schedule(side, readHex(args['id']), null);
    if (name === 'CallExecuted') return this.execute(side, readHex(args['id']), readHex(args['target']));
    const { hash, changes, isVoted } = this.state.sides[side].open ?? {
      hash: log.transactionHash,
      changes: [],
      isVoted: false,
    };
    if (name === 'VoteCarried') return this.update(side, { open: { hash, changes, isVoted: true } });
    if (name === 'OwnershipTransferred' && args['previousOwner'] === zeroAddress)
      this.update(side, { deployedIn: hash });
    const change = this.toChange(side, event, log);
    this.link(side, event, change);
    this.update(side, { open: { hash, changes: [...changes, change], isVoted } });
  }

  private findEmitter(side: Side, settings: BridgeSettings, address: Address): keyof typeof NAMES | null {
    const { owners, guardians } = this.state.sides[side];
    if (address === settings.contract) return 'bridge';
    if (owners.includes(address)) return 'owner';
    return guardians.includes(address) || address === settings.sentinel ? 'guardian' : null;
  }

  private update(side: Side, changed: Partial<SideTrust>): void {
    const { sides } = this.state;
    this.state = { ...this.state, sides: { ...sides, [side]: { ...sides[side], ...changed } } };
  }

  private schedule(side: Side, id: Hex, block: bigint | null): void {
    const { [id]: _, ...others } = this.state.sides[side].scheduled;
    this.update(side, { scheduled: block === null ? others : { ...others, [id]: block } });
  }

  /** A call of the timelock emits its event after those of its target. */
  private execute(side: Side, id: Hex, target: Address): void {
    const { open, scheduled } = this.state.sides[side];
    const announcedAt = scheduled[id];
    if (open === null || announcedAt === undefined) return;
    const changes = open.changes.map((change) =>
      change.contract === target && change.how === 'UNANNOUNCED'
        ? { ...change, announcedAt, how: 'ANNOUNCED' as const }
        : change,
    );
    this.update(side, { open: { ...open, changes } });
  }

  private toChange(side: Side, { name, args }: DecodedEvent, log: PlacedLog): TrustChange {
    const { address: contract, blockNumber, transactionHash } = log;
    const { current, guardians, deployedIn } = this.state.sides[side];
    const change = { side, contract, name, text: describe(args), blockNumber, transactionHash, announcedAt: null };
    const by = readHex(args['by']);
    // A timelock begins without a delay, and can be deployed after its contract.
    const isFirstDelay = name === 'MinDelayChange' && current[name] === undefined && args['oldDuration'] === 0n;
    if (transactionHash === deployedIn || isFirstDelay) return { ...change, how: 'DEPLOYMENT' };
    if (POLICIES.has(name)) return { ...change, how: 'POLICY' };
    const isGuardians = NAMES.guardian.has(name) || (name === 'PauseSet' && by === guardians.at(-1));
    if (isGuardians) return { ...change, how: 'GUARDIAN' };
    // The guardian activates the standby: the event that clears it comes first.
    if (name === 'RelayerChanged' && current['activated'] === `${readHex(args['current'])}@${transactionHash}`)
      return { ...change, how: 'GUARDIAN' };
    // The new admin accepts what the old one announced; any account closes beginnings after their announcement.
    const announced = { OwnershipTransferred: 'OwnershipTransferStarted', BeginningsClosed: 'SuccessorAnnounced' }[
      name
    ];
    const offered = announced === undefined ? undefined : current[announced];
    const [account, block] = offered?.split('@') ?? [];
    if (block !== undefined && account === (args['newOwner'] ?? args['successor']))
      return { ...change, how: 'ANNOUNCED', announcedAt: BigInt(block) };
    return { ...change, how: 'UNANNOUNCED' };
  }

  /** Checks that a change follows from the one before, and notes its value. */
  private link(side: Side, { name, args }: DecodedEvent, change: TrustChange): void {
    const { current, owners, guardians } = this.state.sides[side];
    const key = name === 'OfficeReplaced' ? `${name}${String(args['office'])}` : name;
    const [before, after] = LINKS[name] ?? [];
    const values: Record<string, string> = {};
    const expect = (what: string, is: FieldValue | undefined, due: string | bigint) => {
      if (is === due || is === BigInt(due)) return;
      const why = `${name} (${change.text}): ${what} is ${String(is)} instead of ${due}.`;
      this.state = { ...this.state, broken: [...this.state.broken, toFinding('TRUST_BROKEN', change, why)] };
    };
    if (before !== undefined && after !== undefined) {
      const last = current[key] ?? (NAMES.bridge.has(name) ? zeroAddress : undefined);
      if (last !== undefined) expect(before, args[before], last);
      values[key] = String(args[after]);
    }
    if (name === 'OfficeReplaced') {
      expect('round', args['round'], BigInt(current['round'] ?? 1) + 1n);
      values['round'] = String(args['round']);
    }
    if (name === 'AttestersSet') {
      const members = args['attesters'];
      const count = BigInt(Array.isArray(members) ? members.length : 0);
      expect('setNumber', args['setNumber'], BigInt(current['setNumber'] ?? 0) + 1n);
      if (readInteger(args['threshold']) > count) expect('threshold', args['threshold'], count);
      values['setNumber'] = String(args['setNumber']);
    }
    if (name === 'PauseSet') {
      const last = BigInt(current['pauses'] ?? 0);
      if (args['count'] !== last) expect('count', args['count'], last + 1n);
      values['pauses'] = String(args['count']);
    }
    if (name === 'StandbyChanged') {
      values['standby'] = readHex(args['standby']);
      values['activated'] = `${current['standby'] ?? zeroAddress}@${change.transactionHash}`;
    }
    if (name === 'OwnershipTransferStarted') values[name] = `${readHex(args['newOwner'])}@${change.blockNumber}`;
    if (name === 'SuccessorAnnounced') values[name] = `${readHex(args['successor'])}@${change.blockNumber}`;
    this.update(side, {
      current: { ...current, ...values },
      owners: name === 'OwnershipTransferred' ? [...owners, readHex(args['newOwner'])] : owners,
      guardians: name === 'GuardianChanged' ? [...guardians, readHex(args['current'])] : guardians,
    });
  }

  private close(side: Side): void {
    const closed = [...this.state.closed, ...classifyOpen(this.state.sides[side])];
    this.state = { ...this.state, closed };
    this.update(side, { open: null });
  }
}

/** Finds the basis of the changes that no call of the timelock made, from the other events of their transaction. */
function classifyOpen({ open }: SideTrust): readonly TrustChange[] {
  if (open === null) return [];
  const { changes, isVoted } = open;
  const isActivation = changes.some(({ name, how }) => name === 'RelayerChanged' && how === 'GUARDIAN');
  const closing = changes.find(({ name, how }) => name === 'BeginningsClosed' && how === 'ANNOUNCED');
  return changes.map((change) => {
    const { name, how } = change;
    if (how !== 'UNANNOUNCED') return change;
    if (isActivation && name === 'StandbyChanged') return { ...change, how: 'GUARDIAN' };
    if (isVoted && VOTABLE.has(name)) return { ...change, how: 'VOTED' };
    if (name === 'PauseSet' && closing !== undefined)
      return { ...change, how: 'ANNOUNCED', announcedAt: closing.announcedAt };
    return change;
  });
}

function toFinding(
  code: Finding['code'],
  { side, transactionHash, blockNumber }: Pick<TrustChange, 'side' | 'transactionHash' | 'blockNumber'>,
  why: string,
): Finding {
  return { code, side, id: null, asset: null, transactionHash, blockNumber, why };
}

function describe(args: DecodedEvent['args']): string {
  return Object.entries(args)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? `[${value.join(', ')}]` : String(value)}`)
    .join(', ');
}
