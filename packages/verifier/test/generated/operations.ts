import { computeIntentId, type Side } from '@causeway/verifier';
import type { Address, Hex } from 'viem';
import { DAY, LOCK, MINT, SYMBOLS, World, type Asset, type Event, type Payment } from './world.ts';
import type { EventArguments } from './event-encoder.ts';

/** Ledgers are told who signed; nothing reads the signature. */
const SIGNATURE: Hex = `0x${'11'.repeat(65)}`;

/** The operations of users, and what the relayer does with them. */
export abstract class Operations extends World {
  protected beginAny(): void {
    this.begun += 1;
    const kind = this.random();
    const asset = this.pick(SYMBOLS);
    if (kind < 0.5) return this.deposit(asset);
    if (kind < 0.75) return this.withdraw(asset);
    if (kind < 0.9) return this.payIntent();
    if (kind < 0.95) return this.refundTokens(this.pick(['ETH', 'USDC']));
    return this.refundCoin();
  }

  protected deposit(asset: Asset): void {
    const [amount, recipient, nonce] = [this.makeAmount(asset), this.account(), this.takeNumber('ethereum')];
    const args = { depositId: this.computeId('ethereum', nonce), token: this.token('ethereum', asset), recipient };
    this.send('ethereum', [[LOCK, 'Deposit', { ...args, sender: this.account(), amount, nonce }]]);
    this.due.partner.push({ dueAt: this.later(200, 900), number: nonce, asset, recipient, amount, fee: 0n });
  }

  protected withdraw(asset: Asset): void {
    const amount = this.withdrawable(asset);
    if (amount === null) return this.deposit(asset);
    const [fee, recipient, nonce] = [this.computeFee(asset, amount), this.account(), this.takeNumber('partner')];
    this.supply[asset] -= amount;
    const args = {
      withdrawId: this.computeId('partner', nonce),
      token: this.token('partner', asset),
      amount,
      fee,
      nonce,
    };
    this.send('partner', [[MINT, 'Withdraw', { ...args, sender: this.account(), destination: recipient }]]);
    const payment = { number: nonce, asset, recipient, amount: amount - fee, fee };
    this.due.ethereum.push({ ...payment, dueAt: this.later(320, 1_200) });
  }

  /** A transfer of coin to the wallet, its sweep, and the release of the intent. */
  protected payIntent(): void {
    const amount = this.withdrawable('XCN');
    if (amount === null) return this.deposit('XCN');
    this.supply.XCN -= amount;
    const fee = this.computeFee('XCN', amount);
    const [sender, recipient] = [this.account(), this.account()];
    const terms = { sender, recipient, amount, deadline: BigInt(this.time + DAY), nonceHash: this.takeHash() };
    const id = computeIntentId(this.settings.partner, terms);
    const transferId = this.arrivalId('XCN');
    this.payers.set(transferId, { sender, amount });
    const isSigned = this.random() < 0.8 ? true : null;
    this.at(this.later(10, 100), () => {
      const swept: Event = [MINT, 'Swept', { transferId, amount }];
      this.send('partner', this.random() < 0.1 ? [[MINT, 'Swept', { transferId, amount: 0n }], swept] : [swept]);
    });
    this.at(this.later(320, 1_200), () => {
      this.intents.set(id, { ...terms, transferId, isSigned, signature: SIGNATURE });
      this.release('XCN', { id, recipient, amount: amount - fee, fee });
    });
  }

  protected release(
    asset: Asset,
    { id, ...terms }: { id: Hex; recipient: Address; amount: bigint; fee: bigint },
  ): void {
    this.fees[asset] += terms.fee;
    this.send('ethereum', this.paid('ethereum', 'Release', asset, { withdrawId: id, ...terms }));
  }

  protected refundTokens(asset: Asset): void {
    const amount = this.makeAmount(asset);
    const [id, sender] = [this.arrivalId(asset), this.account()];
    this.at(this.later(300, 900), () => {
      this.refunds.set(id, { sender, amount });
      this.send('partner', this.paid('partner', 'Refunded', asset, { refundId: id, recipient: sender, amount }));
    });
  }

  protected refundCoin(): void {
    const args = { refundId: this.arrivalId('XCN'), recipient: this.account(), amount: this.makeAmount('XCN') };
    this.at(this.later(300, 900), () => this.send('partner', this.paid('partner', 'Refunded', 'XCN', args)));
  }

  /** The events of a payment. One of 25 is credited, and claimed later. */
  protected paid(
    side: Side,
    name: string,
    asset: Asset,
    args: EventArguments & { readonly recipient: Address; readonly amount: bigint },
  ): readonly Event[] {
    const [contract, token] = [this.settings[side].contract, this.token(side, asset)];
    const event: Event = [contract, name, { ...args, token }];
    if (this.random() > 0.04) return [event];
    const id = args['depositId'] ?? args['withdrawId'] ?? args['refundId'];
    const { recipient: account, amount } = args;
    const claim = { token, account, to: this.account(), amount };
    this.at(this.later(100, 5_000), () => this.send(side, [[contract, 'Claimed', claim]]));
    return [event, [contract, 'Credited', { id, token, recipient: account, amount }]];
  }

  /** One batch with all payments that are due. One of 50 is skipped, and paid by a later batch. */
  protected payDue(side: Side): void {
    const due = this.due[side].filter(({ dueAt }) => dueAt <= this.time).slice(0, 60);
    if (due.length === 0) return;
    const isPaid = new Set(due);
    const { contract } = this.settings[side];
    const origin = side === 'ethereum' ? 'partner' : 'ethereum';
    const events = due.flatMap((payment): readonly Event[] => {
      const { number, asset, recipient, amount, fee } = payment;
      if (this.random() < 0.02) {
        isPaid.delete(payment);
        return [[contract, 'Skipped', { nonce: number, reason: 3 }]];
      }
      if (side === 'ethereum') this.fees[asset] += fee;
      else this.supply[asset] += amount;
      if (side === 'ethereum' && asset !== 'XCN') this.unretired[asset] += amount + fee;
      const id = this.computeId(origin, number);
      return side === 'ethereum'
        ? this.paid(side, 'Release', asset, { withdrawId: id, recipient, amount, fee })
        : this.paid(side, 'Mint', asset, { depositId: id, recipient, amount });
    });
    this.due[side] = this.due[side].filter((payment) => !isPaid.has(payment));
    this.send(side, events);
    this.mayReopen(side, origin, [...isPaid]);
  }

  /** The admin can reopen a number of the paid ones. */
  protected abstract mayReopen(side: Side, origin: Side, paid: readonly Payment[]): void;
}
