import type { AttestItem } from '@causeway/protocol/attest';
import type { Side } from '@causeway/verifier';
import { parseEther } from 'viem';
import type { TestBridge } from '../setup/bridge.js';
import type { Random } from './random.js';

// A hostile relayer asks for different payments of one id or one transfer, each of which the chains allow.

/** Items of one requested batch. */
export interface Claim {
  readonly items: readonly AttestItem[];
  /** How often the origin's chain had replaced blocks when the origin was made. */
  readonly branch: number;
}

/** Claims that exclude each other. */
export type Dispute = Claim[];

const AMOUNT = parseEther('10000');
const FEE = parseEther('1000');

/** Disputes over transfers that no reorg removes. */
export async function makeDisputes(bridge: TestBridge): Promise<Dispute[]> {
  const { deposit, pay, payAndSweep, signIntent, approveRefund, setLeastFee } = bridge;
  const claim = (...items: readonly AttestItem[]): Claim => ({ items, branch: 0 });
  const intents = [];
  for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries())
    intents.push(await signIntent(AMOUNT + BigInt(index) * 10n ** 18n, name, FEE));
  const [cheap, first, , refunded] = intents;
  if (cheap === undefined || first === undefined || refunded === undefined) throw new Error('An intent is missing');
  const second = await signIntent(first.intent.amount, 'twin', FEE);
  await setLeastFee(2n * FEE);
  const judgedAtBlock = await bridge.clients.partner.getBlockNumber();
  const twoFees = await payAndSweep(cheap.intent.amount);
  const twoIntents = await payAndSweep(first.intent.amount);
  const intentOrRefund = await payAndSweep(refunded.intent.amount);
  const amount = 3n * AMOUNT;
  const refund = await approveRefund(await pay(amount), amount);
  const [one, other] = [await deposit(7_000_000n), await deposit(8_000_000n)];
  return [
    [claim({ ...cheap, origin: twoFees }), claim({ ...cheap, origin: twoFees, judgedAtBlock, fee: 2n * FEE })],
    [claim({ ...first, origin: twoIntents }), claim({ ...second, origin: twoIntents })],
    [
      claim({ ...refunded, origin: intentOrRefund }),
      claim(await approveRefund(intentOrRefund, refunded.intent.amount)),
    ],
    [claim(refund), claim({ ...refund, amount: amount - 10n ** 10n })],
    // These do not conflict: a mint is paid alone or with others.
    [claim(one), claim(one, other), claim(other)],
  ];
}

/** The newest withdrawal or deposit of a chain, whose block can be replaced by one with other terms. */
export class Reorganiser {
  private branch = 0;
  private current: { readonly dispute: Dispute; readonly replace: () => Promise<void> } | null = null;

  constructor(
    private readonly side: Side,
    private readonly bridge: TestBridge,
    private readonly random: Random,
    /** Called with each new dispute. */
    private readonly add: (dispute: Dispute) => void,
  ) {}

  /** Begins a dispute, or replaces the block of its origin. */
  async turn(): Promise<void> {
    const { current } = this;
    if (current !== null) {
      this.current = null;
      this.branch += 1;
      await current.replace();
      return;
    }
    const make = this.side === 'ethereum' ? () => this.deposit() : await this.prepareWithdrawal();
    const replace = await this.bridge.keepState(this.side);
    const dispute: Dispute = [];
    const push = async () => void dispute.push({ items: [await make()], branch: this.branch });
    await push();
    this.add(dispute);
    this.current = { dispute, replace: async () => replace(push) };
  }

  private async deposit(): Promise<AttestItem> {
    const recipient = this.random.pick(['0x00000000000000000000000000000000000000aa', undefined] as const);
    return this.bridge.deposit(BigInt(this.random.int(1, 50)) * 1_000_000n, recipient);
  }

  /** On the new branch, the same transaction begins a withdrawal with another fee. */
  private async prepareWithdrawal(): Promise<() => Promise<AttestItem>> {
    const withdraw = await this.bridge.signWithdrawal(AMOUNT);
    return async () => {
      await this.bridge.setLeastFee(parseEther(String(this.random.int(1_000, 4_000))));
      return withdraw();
    };
  }
}
