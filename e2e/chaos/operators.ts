import type { Environment } from '@causeway/testbed';
import type { Hex } from 'viem';
import type { PaidRefund, SentOperation } from './operation.ts';
import { patiently, type PublicApi } from './public-api.ts';

/** Two operators who approve the refund of each mistake, while everything else is killed. */
export class Operators {
  private readonly environment: Environment;
  private readonly api: PublicApi;
  /** By the transaction of the mistake. */
  private readonly refunds = new Map<Hex, Promise<PaidRefund>>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(environment: Environment, api: PublicApi) {
    this.environment = environment;
    this.api = api;
  }

  /** Resolves when the refund of a mistake is paid and final. */
  async waitForRefund(mistake: SentOperation): Promise<PaidRefund> {
    const { originTxHash } = mistake;
    const begun = this.refunds.get(originTxHash) ?? this.refund(mistake);
    this.refunds.set(originTxHash, begun);
    // It may have waited in vain for the faults to end. The next call begins again.
    begun.catch(() => this.refunds.delete(originTxHash));
    return begun;
  }

  private async refund({ originTxHash }: SentOperation): Promise<PaidRefund> {
    const id = await patiently(`the mistake ${originTxHash} is FAILED`, async () => {
      return (await this.api.operation(originTxHash))?.refundId ?? null;
    });
    // Each command is a process. One at a time leaves the machine to the bridge.
    const approved = this.last.then(() => this.approve(id));
    this.last = approved.catch(() => undefined);
    await approved;
    return patiently(`the refund ${id} is COMPLETED`, async () => {
      const refund = await this.api.refund(id);
      if (refund?.status !== 'COMPLETED' || refund.payment === null) return null;
      const { amount, gasFee, dust } = refund.payment;
      const parts = BigInt(amount) + BigInt(gasFee) + BigInt(dust);
      if (parts !== BigInt(refund.amount))
        throw new Error(`The parts of refund ${id} are ${parts}, not ${refund.amount}`);
      return { id, paid: BigInt(amount) };
    });
  }

  private async approve(id: Hex): Promise<void> {
    const { firstOperator, secondOperator } = this.environment.accounts;
    for (const operator of [firstOperator, secondOperator]) {
      await patiently(`an operator approves the refund ${id}`, async () => {
        const { code } = await this.environment.operatorCommand(operator, 'refund', 'approve', id);
        if (code === 0) return true;
        // The command may have been cut off after its approval was written, and paid in the meantime.
        const refund = await this.api.refund(id);
        return refund === null || refund.status === 'REQUESTED' ? null : true;
      });
    }
  }
}
