import type { Hex } from 'viem';
import { BOOK } from '../bridge.ts';
import { payWallet, revokeSignatures } from './payments.ts';
import { BLOCK_MS, CONFIRMATIONS } from './configuration.ts';
import { USERS } from './people.ts';
import type { Happening, Payment } from './schedule.ts';
import { INTENT_WINDOW_MS, LATEST_PAYMENT_MS, type Users } from './users.ts';
import type { Accepted, Simulation } from './simulation.ts';

type Intended = Happening & { readonly kind: 'intent' };

/** How long after its payment the owner of a smart account revokes its signatures. */
const REVOKED_AFTER_MS = 10_000;
/** How long before the sender a stranger pays for an intent. */
const STRANGER_AHEAD_MS = 20_000;
/** How long before the end of its window a user pays at the last moment. The next block may or may not be in time. */
const LAST_MOMENT_MS = 4_000;
const UNIT = 10n ** 10n;
/** Blocks in which a user looks for other users' transactions. */
const SEEN_BLOCKS = 10;

/** People's actions with intents: they register, pay and bind them, correctly or not. */
export class Intents {
  private readonly simulation: Simulation;
  private readonly users: Users;

  constructor(simulation: Simulation, users: Users) {
    this.simulation = simulation;
    this.users = users;
  }

  /** Registers an intent and pays it, or not. */
  async begin(happening: Intended): Promise<void> {
    const { users, simulation } = this;
    const { payment, user, way } = happening;
    const amount = users.nextAmount('XCN');
    const register = () => users.registerIntent({ user, way, amount }).catch(() => null);
    if (payment === 'no intent') return this.pay(happening, amount);
    if (payment === 'early') {
      this.pay(happening, amount);
      // The payment's block is final before the registration.
      return this.after((CONFIRMATIONS.partner + 1) * BLOCK_MS.partner, () => void register());
    }
    const accepted = await register();
    if (accepted === null) return;
    const pay = (value = amount, named = accepted) => this.pay(happening, value, named);
    const payments: Record<Exclude<Payment, 'early' | 'no intent'>, () => void> = {
      right: pay,
      // The stranger pays the same amount, and names its own transaction, before the sender does.
      'after a stranger': () => {
        const stranger = { ...happening, user: (user + 1) % USERS.length, isBound: true, isNamed: true };
        this.pay(stranger, amount, accepted);
        this.after(STRANGER_AHEAD_MS, pay);
      },
      'at the last moment': () => this.after(INTENT_WINDOW_MS - LAST_MOMENT_MS, pay),
      late: () => this.after(LATEST_PAYMENT_MS, pay),
      twice: () => (pay(), pay()),
      'wrong amount': () => pay(amount + UNIT),
      revoked: () => {
        pay();
        this.after(REVOKED_AFTER_MS, () => {
          simulation.tell(`  revokes what was signed for ${accepted.id}`);
          simulation.revokers.add(accepted.sender);
          revokeSignatures(simulation.bridge, user);
        });
      },
      twins: () => {
        // Each payment names the intent that the relayer would not choose for it.
        void register().then((second) => {
          if (second === null) return pay();
          pay(amount, second);
          pay(amount, accepted);
        });
      },
      // The first payment fits both intents, and the second is too late.
      'late twin': () => {
        void register().then((second) => {
          pay();
          if (second !== null) this.after(LATEST_PAYMENT_MS, () => pay(amount, second));
        });
      },
    };
    payments[payment]();
  }

  /** Names the newest payment of any user for the intents of all users. */
  async bindStrangely(): Promise<void> {
    const { simulation } = this;
    const hash = this.newestPayment();
    for (const { id } of simulation.intents) {
      simulation.tell(`  a stranger names ${hash} for ${id}`);
      await this.users.bind(id, hash).catch(() => undefined);
    }
  }

  private newestPayment(): Hex {
    const { partner } = this.simulation.bridge;
    const blocks = Array.from({ length: Math.min(SEEN_BLOCKS, partner.head.number) }, (_, ago) =>
      partner.blockAt(partner.head.number - ago),
    );
    const mined = blocks.flatMap((block) => block.mined.map(({ transaction }) => transaction));
    const seen = [...partner.pool.all(), ...mined].find(({ from }) => from !== BOOK.relayer);
    return seen?.hash ?? `0x${'5'.repeat(64)}`;
  }

  private pay({ way, user, isBound, isNamed }: Intended, amount: bigint, accepted: Accepted | null = null): void {
    const { simulation, users } = this;
    const memo: Hex = isNamed && accepted !== null ? accepted.id : '0x';
    const hash = payWallet(simulation.bridge, { way, user, amount, memo });
    simulation.tell(`  pays ${amount} for ${accepted?.id ?? 'nothing'}: ${hash}`);
    if (isBound && accepted !== null) void users.bind(accepted.id, hash).catch(() => undefined);
  }

  private after(ms: number, run: () => void): void {
    this.simulation.kernel.at(this.simulation.kernel.now() + ms, run, null);
  }
}
