import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { type Side } from '@causeway/protocol';
import { encodeFunctionData, parseEther, zeroAddress, type Address } from 'viem';
import { BOOK, ROLES, send } from '../bridge.ts';
import { HONEST, type Lie, type NodeFaults } from '../chain/simulated-node.ts';
import { PoolError } from '../chain/pool.ts';
import { BLOCK_MS } from './configuration.ts';
import { START_MS, type World } from './world.ts';
import type { Happening, NodeFault, Payment } from './schedule.ts';
import { LATEST_PAYMENT_MS, USERS, type Accepted, type Users } from './users.ts';

type Of<K extends Happening['kind']> = Happening & { readonly kind: K };

/** Lets everything of a schedule happen to the bridge. */
export class Happenings {
  private readonly world: World;
  private readonly users: Users;
  private readonly accepted: Accepted[] = [];

  constructor(world: World, users: Users) {
    this.world = world;
    this.users = users;
  }

  /** Plans the happenings in the time of the world. */
  plan(happenings: readonly Happening[]): void {
    for (const happening of happenings) this.later(happening.atMs, () => this.happen(happening));
  }

  private later(afterStartMs: number, run: () => void): void {
    this.world.kernel.at(START_MS + afterStartMs, run, null);
  }

  private after(ms: number, run: () => void): void {
    this.world.kernel.at(this.world.kernel.now() + ms, run, null);
  }

  private happen(happening: Happening): void {
    const { world } = this;
    const { kind, atMs: _, ...details } = happening;
    world.tell(`* ${kind} ${JSON.stringify(details)}`);
    switch (happening.kind) {
      case 'deposit':
      case 'burn':
      case 'withdraw':
      case 'mistake':
        return this.operate(happening);
      case 'intent':
        return void this.intend(happening);
      case 'strange bind':
        return void this.bindStrangely();
      case 'node fault':
        return this.breakNode(happening);
      case 'reorg':
        return this.reorg(happening);
      case 'fees':
        return this.raiseFees(happening);
      case 'drop':
        return world.bridge[happening.side].pool.drop(() => true);
      case 'pause':
        return this.pause(happening);
      case 'limit':
        return this.limit(happening);
      case 'foreign nonce':
        return this.useNonce(happening.side);
      case 'crash':
        return this.crash(happening);
      case 'freeze':
        world.relayer(happening.relayer).frozenUntilMs = world.kernel.now() + happening.forMs;
        return;
      case 'database fault':
        world.isDatabaseDown = true;
        return this.after(happening.forMs, () => (world.isDatabaseDown = false));
      case 'mirror fault':
        return;
    }
  }

  private operate({ kind, asset, user }: Of<'deposit' | 'burn' | 'withdraw' | 'mistake'>): void {
    const { users } = this;
    const [person, amount] = [USERS[user % USERS.length]!, users.nextAmount(asset)];
    if (kind === 'deposit') return users.deposit(person, asset, amount);
    // The first deposits are Alice's.
    if (kind === 'burn' || kind === 'withdraw') return users.withdraw(USERS[0], asset, amount);
    if (asset === 'XCN') users.payWallet(person, amount);
    else users.lose(person, asset, amount);
  }

  /** Registers an intent and pays it, rightly or not. */
  private async intend({ user, payment, isBound }: Of<'intent'>): Promise<void> {
    const { users, world } = this;
    const person = USERS[user % USERS.length]!;
    const amount = users.nextAmount('XCN');
    if (payment === 'no intent') return void users.payWallet(person, amount);
    if (payment === 'early') users.payWallet(person, amount);
    const accepted = await users.registerIntent(person, amount).catch(() => null);
    if (accepted === null) return;
    this.accepted.push(accepted);
    const pay = (value: bigint) => {
      const hash = users.payWallet(person, value);
      if (isBound) void users.bind(accepted.id, hash).catch(() => undefined);
      world.tell(`  pays ${value} for ${accepted.id}: ${hash}`);
    };
    const payments: Record<Payment, () => void> = {
      right: () => pay(amount),
      early: () => undefined,
      late: () => this.after(LATEST_PAYMENT_MS, () => pay(amount)),
      twice: () => (pay(amount), pay(amount)),
      'wrong amount': () => pay(amount + 10n ** 10n),
      'no intent': () => undefined,
      forwarded: () => undefined,
    };
    payments[payment]();
  }

  /** Names a transaction of somebody for the intents of everybody. */
  private async bindStrangely(): Promise<void> {
    const hash = `0x${'5'.repeat(64)}` as const;
    for (const { id } of this.accepted) await this.users.bind(id, hash).catch(() => undefined);
  }

  private breakNode({ side, node, fault, forMs }: Of<'node fault'>): void {
    const broken = this.world.nodes[side][node]!;
    broken.faults = { ...HONEST, ...FAULTS[fault] };
    this.after(forMs, () => (broken.faults = HONEST));
  }

  private reorg({ side, depth, isLossy }: Of<'reorg'>): void {
    const { bridge, kernel } = this.world;
    const chain = bridge[side];
    const most = Math.min(depth, chain.head.number - 2);
    if (most < 1) return;
    // What the admin sends again in any case comes back.
    const isStaff = (from: Address) => from === ROLES.admin.address || from === ROLES.policyManager.address;
    chain.reorg(most, ({ from }) => !isLossy || isStaff(from) || kernel.random.chance(0.5));
    for (let mined = 0; mined < most; mined++) chain.mine(chain.head.timestamp + 1);
  }

  private raiseFees({ side, factor, forMs }: Of<'fees'>): void {
    const chain = this.world.bridge[side];
    const usual = chain.input.baseFeePerGas;
    chain.baseFeePerGas = usual * BigInt(factor);
    this.after(forMs, () => (chain.baseFeePerGas = usual));
  }

  private pause({ side, forMs }: Of<'pause' | 'limit'>): void {
    const chain = this.world.bridge[side];
    const [to, abi] = [contractOf(side), bridgeLockAbi];
    send(chain, ROLES.guardian, { to, data: encodeFunctionData({ abi, functionName: 'pause', args: [false, true] }) });
    // Not before the block with the pause.
    this.after(forMs + BLOCK_MS[side], () => {
      const pauses = { from: ROLES.admin.address, to, value: 0n };
      const read = encodeFunctionData({ abi, functionName: 'pauses' });
      const { data } = chain.call({ ...pauses, data: read }, chain.head);
      const count = Number(`0x${data.slice(-64)}`);
      const args = [count, true, true] as const;
      send(chain, ROLES.admin, { to, data: encodeFunctionData({ abi, functionName: 'unpause', args }) });
    });
  }

  private limit({ side, forMs }: Of<'pause' | 'limit'>): void {
    const chain = this.world.bridge[side];
    const to = contractOf(side);
    const set = (capacity: bigint) => {
      const args = [zeroAddress, capacity, 3_600n] as const;
      const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'setOutflowLimit', args });
      send(chain, ROLES.policyManager, { to, data });
    };
    set(10n ** 16n);
    this.after(forMs, () => set(side === 'ethereum' ? parseEther('1000') : parseEther('50000000')));
  }

  /** Somebody else who has the wallet's key uses its next nonce for nothing. */
  private useNonce(side: Side): void {
    try {
      send(this.world.bridge[side], ROLES.relayer, { to: ROLES.relayer.address, gas: 21_000n });
    } catch (error) {
      if (!(error instanceof PoolError)) throw error;
    }
  }

  private crash({ relayer, forMs }: Of<'crash' | 'freeze'>): void {
    const { kernel } = this.world;
    kernel.crash(this.world.relayer(relayer));
    this.after(forMs, () => this.world.startRelayer(relayer));
  }
}

const contractOf = (side: Side) => (side === 'ethereum' ? BOOK.ethereum.bridgeLock : BOOK.partner.bridgeMint);

/** Another block hash, balance or receipt than the true one. */
const lies: Lie = ({ method }, honest) => {
  if (method === 'eth_getBalance' || method === 'eth_call') return `0x${'7'.padStart(64, '0')}`;
  if (method === 'eth_blockNumber') return `0x${(BigInt(honest as string) + 50n).toString(16)}`;
  if (method === 'eth_getTransactionReceipt' && honest !== null) return { ...(honest as object), status: '0x0' };
  return honest;
};

const FAULTS: Readonly<Record<NodeFault, Partial<NodeFaults>>> = {
  down: { isDown: true },
  silent: { isSilent: true },
  lags: { lagBlocks: 4 },
  forgets: { keptStates: 1 },
  'hides logs': { hidesLogs: true },
  lies: { lie: lies },
  'refuses broadcasts': { broadcasts: 'refuses' },
};
