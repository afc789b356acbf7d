import { bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '@causeway/protocol/abi';
import { DEFAULT_FEE_POLICIES, getToken, type Side } from '@causeway/protocol';
import { decodeFunctionResult, encodeFunctionData, parseEther, zeroAddress, type Address, type Hex } from 'viem';
import { BOOK, HOURLY, ROLES, send, START_MS } from '../bridge.ts';
import { HONEST_MIRROR } from '../chain/mirror.ts';
import { PoolError } from '../chain/pool.ts';
import { HONEST } from '../chain/simulated-node.ts';
import { BLOCK_MS, CONFIRMATIONS } from './configuration.ts';
import { MIRROR_FAULTS, toNodeFaults } from './faults.ts';
import { Intents } from './intents.ts';
import { payByMistake } from './payments.ts';
import { personAt, USERS } from './people.ts';
import type { Simulation } from './simulation.ts';
import type { Happening } from './schedule.ts';
import type { UsedUpNumbers } from './used-up-numbers.ts';
import type { Users } from './users.ts';

/** How long a race is awaited. */
export const LONGEST_WAIT_MS = 120_000;
const RECHECK_MS = 500;
/** How often the admin tries to lift a pause. */
const UNPAUSES = 20;
/** The number of a deposit or burn that no user has made. */
const FORGED = 1_000_000n;
const NO_ATTESTATION = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] };
const NEXT_RELAYER: Address = '0x00000000000000000000000000000000000000a1';

type Of<K extends Happening['kind']> = Happening & { readonly kind: K };

/** Makes the happenings of a schedule happen to the bridge. */
export class Happenings {
  private readonly simulation: Simulation;
  private readonly users: Users;
  private readonly intents: Intents;
  private readonly numbers: UsedUpNumbers;

  constructor(simulation: Simulation, users: Users, numbers: UsedUpNumbers) {
    this.simulation = simulation;
    this.numbers = numbers;
    this.users = users;
    this.intents = new Intents(simulation, users);
  }

  /** Schedules the happenings in simulated time. */
  plan(happenings: readonly Happening[]): void {
    for (const happening of happenings) this.later(happening.atMs, () => this.happen(happening));
  }

  private later(afterStartMs: number, run: () => unknown): void {
    this.simulation.kernel.at(START_MS + afterStartMs, run, null);
  }

  private after(ms: number, run: () => unknown): void {
    this.simulation.kernel.at(this.simulation.kernel.now() + ms, run, null);
  }

  private happen(happening: Happening): unknown {
    const { simulation } = this;
    const { kind, atMs: _, ...details } = happening;
    simulation.tell(`* ${kind} ${JSON.stringify(details)}`);
    switch (happening.kind) {
      case 'deposit':
      case 'burn':
      case 'withdraw':
        return this.operate(happening);
      case 'mistake':
        return this.lose(happening);
      case 'intent':
        return void this.intents.begin(happening);
      case 'strange bind':
        return void this.intents.bindStrangely();
      case 'node fault':
        return this.breakNode(happening);
      case 'reorg':
        return this.reorg(happening);
      case 'fees':
        return this.raiseFees(happening);
      case 'drop':
        return simulation.bridge[happening.side].pool.drop(({ from }) => !isStaff(from));
      case 'pause':
        return this.pause(happening);
      case 'limit':
        return this.limit(happening);
      case 'foreign nonce':
        return this.useNonce(happening);
      case 'crash':
        return this.crash(happening);
      case 'freeze':
        simulation.relayer(happening.relayer).frozenUntilMs = simulation.kernel.now() + happening.forMs;
        return;
      case 'database fault':
        simulation.isDatabaseDown = true;
        return this.after(happening.forMs, () => (simulation.isDatabaseDown = false));
      case 'slow database':
        simulation.isDatabaseSlow = true;
        return this.after(happening.forMs, () => (simulation.isDatabaseSlow = false));
      case 'mirror fault':
        return this.breakMirrors(happening);
      case 'clock jump':
        return this.moveClock(happening);
      case 'short float':
        return this.shorten(happening);
      case 'half rotation':
        return this.rotate(happening);
      case 'forged delivery':
        return this.forge(happening.side);
      case 'used-up number':
        return this.numbers.use(happening.side, happening.isWide);
    }
  }

  private operate({ kind, asset, user }: Of<'deposit' | 'burn' | 'withdraw'>): void {
    const { users } = this;
    const amount = users.nextAmount(asset);
    const { account } = personAt(user);
    const { address: next } = personAt((user + 1) % USERS.length).account;
    if (kind === 'deposit') users.deposit(account, asset, amount, next);
    // Alice made the first deposits.
    else users.withdraw(USERS[0], asset, amount, next);
  }

  private lose(mistake: Of<'mistake'>): void {
    const { side, asset, size } = mistake;
    // Only Alice has bridged tokens.
    const isBridged = side === 'partner' && asset !== 'XCN';
    const { simulation, users } = this;
    payByMistake(simulation.bridge, isBridged ? { ...mistake, user: 0 } : mistake, users.nextAmount(asset, size));
  }

  private breakMirrors({ mirror, fault, forMs }: Of<'mirror fault'>): void {
    const { mirrors } = this.simulation;
    const broken = mirrors.filter((_, index) => mirror === null || mirror === index);
    for (const one of broken) one.faults = { ...HONEST_MIRROR, ...MIRROR_FAULTS[fault] };
    this.after(forMs, () => {
      for (const one of broken) one.faults = HONEST_MIRROR;
    });
  }

  private breakNode({ side, node, fault, forMs }: Of<'node fault'>): void {
    const broken = this.simulation.nodes[side][node];
    if (broken === undefined) throw new RangeError(`There is no node ${node}`);
    broken.faults = { ...HONEST, ...toNodeFaults(fault, broken.chain, side) };
    this.after(forMs, () => (broken.faults = HONEST));
  }

  private async reorg({ side, depth, isLossy }: Of<'reorg'>): Promise<void> {
    const { bridge, kernel } = this.simulation;
    const chain = bridge[side];
    const most = Math.min(depth, chain.head.number - 2);
    if (most < 1) return;
    if (most >= CONFIRMATIONS[side]) this.simulation.hasFinalReorg = true;
    const removed = Array.from({ length: most }, (_, index) => chain.blockAt(chain.head.number - most + 1 + index));
    chain.reorg(most, ({ from }) => !isLossy || isStaff(from) || kernel.random.chance(0.5));
    for (const { mined } of removed) {
      const hashes = new Set(mined.map(({ transaction }) => transaction.hash));
      // In another order, deposits that were final would get other numbers, and the payments made for them would be
      // lost.
      const isTaken = ({ hash }: { readonly hash: Hex }) => depth < CONFIRMATIONS[side] || hashes.has(hash);
      await chain.mine(chain.head.timestamp + 1, isTaken);
    }
  }

  private raiseFees({ side, factor, forMs }: Of<'fees'>): void {
    const chain = this.simulation.bridge[side];
    const usual = chain.input.baseFeePerGas;
    chain.baseFeePerGas = usual * BigInt(factor);
    this.after(forMs, () => (chain.baseFeePerGas = usual));
  }

  private pause({ side, forMs }: Of<'pause'>): void {
    const chain = this.simulation.bridge[side];
    const [to, abi] = [getBridgeAddress(side), bridgeLockAbi];
    const pause = encodeFunctionData({ abi: sentinelAbi, functionName: 'pause', args: [false, true] });
    send(chain, ROLES.guardian, { to: BOOK[side].sentinel, data: pause });
    const unpause = async () => {
      const read = encodeFunctionData({ abi, functionName: 'pauses' });
      const data = await chain.call({ from: ROLES.admin.address, to, value: 0n, data: read }, chain.head);
      const [, isPaused, count] = decodeFunctionResult({ abi, functionName: 'pauses', data });
      const args = [count, true, true] as const;
      if (isPaused) send(chain, ROLES.admin, { to, data: encodeFunctionData({ abi, functionName: 'unpause', args }) });
    };
    // The pause may be mined late, or again on another branch.
    for (let blocks = 1; blocks <= UNPAUSES; blocks++) this.after(forMs + blocks * BLOCK_MS[side], unpause);
  }

  private limit({ side, isRacing, forMs }: Of<'limit'>): void {
    const chain = this.simulation.bridge[side];
    const to = getBridgeAddress(side);
    const set = (capacity: bigint) => {
      const args = [zeroAddress, capacity, 3_600n] as const;
      const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'setOutflowLimit', args });
      send(chain, ROLES.policyManager, { to, data, maxPriorityFeePerGas: 2n * chain.tip });
    };
    const begin = () => {
      set(10n ** 16n);
      this.after(forMs, () => set(side === 'ethereum' ? HOURLY.ETH : HOURLY.XCN));
    };
    if (!isRacing) return begin();
    for (const _ of [1, 2])
      if (side === 'ethereum') this.users.withdraw(USERS[0], 'ETH', this.users.nextAmount('ETH'));
      else this.users.deposit(USERS[1], 'XCN', this.users.nextAmount('XCN'));
    this.whenPaying(side, begin);
  }

  /** Runs `run` as soon as the wallet has a transaction in the pool, or after a while. */
  private whenPaying(side: Side, run: () => void): void {
    const chain = this.simulation.bridge[side];
    const untilMs = this.simulation.kernel.now() + LONGEST_WAIT_MS;
    const check = () => {
      const isPaying = chain.pool.of(BOOK.relayer, chain.nonceAt(BOOK.relayer, chain.head.number)) !== undefined;
      if (isPaying || this.simulation.kernel.now() >= untilMs) run();
      else this.after(RECHECK_MS, check);
    };
    check();
  }

  /** A thief with the wallet's key uses its next nonce in an empty transaction. */
  private useNonce({ side, isUndone }: Of<'foreign nonce'>): void {
    const chain = this.simulation.bridge[side];
    const hash = this.sendAsRelayer(side, { to: ROLES.relayer.address, gas: 21_000n });
    if (hash === null || !isUndone) return;
    this.after(1.5 * BLOCK_MS[side], async () => {
      chain.reorg(2, (transaction) => transaction.hash !== hash);
      for (let mined = 0; mined < 2; mined++) await chain.mine(chain.head.timestamp + 1);
    });
  }

  /** Returns the hash; null when a transaction with the same nonce is already pending. */
  private sendAsRelayer(side: Side, call: Parameters<typeof send>[2]): Hex | null {
    try {
      return send(this.simulation.bridge[side], ROLES.relayer, call);
    } catch (error) {
      if (!(error instanceof PoolError)) throw error;
      return null;
    }
  }

  /** Pays Alice for a deposit or burn with a number that no user has made. */
  private forge(side: Side): void {
    const item = { token: getToken(BOOK, side, 'ETH'), recipient: USERS[0].address, amount: parseEther('0.5') };
    const data =
      side === 'ethereum'
        ? encodeFunctionData({
            abi: bridgeLockAbi,
            functionName: 'releaseMany',
            args: [[{ ...item, withdrawNonce: FORGED, fee: 0n }], NO_ATTESTATION],
          })
        : encodeFunctionData({
            abi: bridgeMintAbi,
            functionName: 'mintMany',
            args: [[{ ...item, depositNonce: FORGED }], NO_ATTESTATION],
          });
    const { forgeries } = this.simulation;
    const hash = this.sendAsRelayer(side, { to: getBridgeAddress(side), data });
    if (hash !== null) forgeries.add(hash);
  }

  private moveClock({ relayer, byMs, forMs }: Of<'clock jump'>): void {
    const process = this.simulation.relayer(relayer);
    process.clockAheadMs = byMs;
    this.after(forMs, () => (process.clockAheadMs = 0));
  }

  /** Leaves enough for one of the smallest deposits, while several arrive. */
  private shorten({ forMs }: Of<'short float'>): void {
    const { simulation } = this;
    const { bridge, partnerLimits } = simulation;
    const { head } = bridge.partner;
    const usual = partnerLimits.gasReserve;
    const left = 3n * DEFAULT_FEE_POLICIES.XCN.minAmount;
    partnerLimits.gasReserve = bridge.partner.balanceAt(BOOK.relayer, head.number) - left;
    simulation.shortSinceMs = simulation.kernel.now();
    for (const ms of [0, 12_000, 24_000])
      this.after(ms, () => this.users.deposit(USERS[1], 'XCN', this.users.nextAmount('XCN')));
    this.after(forMs, () => {
      partnerLimits.gasReserve = usual;
      simulation.shortSinceMs = null;
    });
  }

  private rotate({ forMs }: Of<'half rotation'>): void {
    const set = (wallet: Address) => {
      const data = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'setRelayer', args: [wallet] });
      send(this.simulation.bridge.ethereum, ROLES.admin, { to: BOOK.ethereum.bridgeLock, data });
    };
    set(NEXT_RELAYER);
    this.after(forMs + BLOCK_MS.ethereum, () => set(BOOK.relayer));
  }

  private crash({ relayer, afterEvents, forMs }: Of<'crash'>): void {
    const { simulation } = this;
    simulation.kernel.crashAfter(simulation.relayer(relayer), afterEvents, () => {
      simulation.tell(`relayer ${relayer} crashes`);
      this.after(forMs, () => simulation.startRelayer(relayer));
    });
  }
}

/** Transactions of these accounts always return to the pool, since staff would send them again. */
const isStaff = (from: Address) => from === ROLES.admin.address || from === ROLES.policyManager.address;
const getBridgeAddress = (side: Side) => (side === 'ethereum' ? BOOK.ethereum.bridgeLock : BOOK.partner.bridgeMint);
