import { setTimeout as sleep } from 'node:timers/promises';
import type { RefundResponse } from '@causeway/protocol';
import type { RequestResponse, RequestTerms } from '@causeway/protocol/admin';
import { openStore, type Store } from '@causeway/store';
import type { Environment } from '@causeway/testbed';
import type { Hex } from 'viem';
import { AdminClient } from './admin-client.ts';
import type { DecidedRefund, SentOperation } from './operation.ts';
import { patiently, type PublicApi } from './public-api.ts';
import type { Random } from './random.ts';

/** How the operators decide on a mistake. */
const DECISIONS = ['approve by command', 'approve by console', 'refuse by console'] as const;
const HALT_PAUSE_MS = [2_000, 12_000] as const;

/** Two operators who decide on each mistake, and halt and resume deliveries, while processes are killed. */
export class Operators {
  private readonly environment: Environment;
  private readonly api: PublicApi;
  private readonly store: Store;
  private readonly first: AdminClient;
  private readonly second: AdminClient;
  private readonly random: Random;
  private readonly nextDecision: () => (typeof DECISIONS)[number];
  /** Decisions by the transaction of the mistake. */
  private readonly refunds = new Map<Hex, Promise<DecidedRefund>>();
  private readonly decisions = new Map<Hex, (typeof DECISIONS)[number]>();
  readonly failures: string[] = [];
  private readonly carriedOut: RequestResponse[] = [];
  private last: Promise<unknown> = Promise.resolve();
  private isOver = false;

  private constructor(
    environment: Environment,
    api: PublicApi,
    clients: readonly [AdminClient, AdminClient],
    random: Random,
  ) {
    this.environment = environment;
    this.api = api;
    [this.first, this.second] = clients;
    this.random = random;
    this.nextDecision = random.dealer(DECISIONS);
    this.store = openStore({ databaseUrl: environment.stack.databaseUrl, onIdleError: () => undefined });
  }

  /** Signs in to the console. */
  static async signIn(environment: Environment, api: PublicApi, random: Random): Promise<Operators> {
    const { stack, book, accounts } = environment;
    const console = { consoleUrl: stack.consoleUrl, book };
    const first = await AdminClient.signIn(console, accounts.firstOperator.privateKey);
    const second = await AdminClient.signIn(console, accounts.secondOperator.privateKey);
    return new Operators(environment, api, [first, second], random);
  }

  /** Number of console requests carried out. */
  get requests(): number {
    return this.carriedOut.length;
  }

  /** Halts and resumes the deliveries until `end`. */
  async run(): Promise<void> {
    return this.haltAgainAndAgain().catch((error: unknown) => void this.failures.push(String(error)));
  }

  private async haltAgainAndAgain(): Promise<void> {
    while (!this.isOver) {
      await sleep(this.random.between(...HALT_PAUSE_MS));
      if (this.isOver) return;
      await this.carryOut({ kind: 'HALT', target: 'deliveries' });
      if ((await this.store.halts.deliveries()) === null) this.failures.push('Deliveries continue after a halt');
      await this.carryOut({ kind: 'RESUME', target: 'deliveries', accept: 'nothing' });
      if ((await this.store.halts.deliveries()) !== null) this.failures.push('Deliveries stay halted after a resume');
    }
  }

  end(): void {
    this.isOver = true;
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  /** Resolves when the refund of a mistake is paid and final, or refused. */
  async waitForRefund(mistake: SentOperation): Promise<DecidedRefund> {
    const { originTxHash } = mistake;
    const begun = this.refunds.get(originTxHash) ?? this.refund(mistake);
    this.refunds.set(originTxHash, begun);
    // It can have timed out while faults lasted. The next call starts over.
    begun.catch(() => this.refunds.delete(originTxHash));
    return begun;
  }

  /** Returns a sentence for each request that is not in the audit log exactly once, and for a broken log. */
  async auditFaults(): Promise<string[]> {
    const counts = new Map(this.carriedOut.map(({ id }) => [id as string, 0]));
    for await (const page of this.store.adminAudit.all({ actor: null, action: null, subject: null }))
      for (const { after } of page) {
        const { requestId = '', state } = (after ?? {}) as { readonly requestId?: string; readonly state?: string };
        const count = counts.get(requestId);
        if (count !== undefined && state === 'DONE') counts.set(requestId, count + 1);
      }
    const { broken } = await this.store.adminAudit.verify();
    return [
      ...[...counts]
        .filter(([, count]) => count !== 1)
        .map(([id, count]) => `By the audit log, request ${id} was carried out ${count} times`),
      ...(broken === null ? [] : [`The audit log is broken: ${JSON.stringify(broken)}`]),
    ];
  }

  private async refund(mistake: SentOperation): Promise<DecidedRefund> {
    const { originTxHash } = mistake;
    const id = await patiently(`the mistake ${originTxHash} is FAILED`, async () => {
      return (await this.api.operation(originTxHash))?.refundId ?? null;
    });
    const decision = this.decisions.get(id) ?? this.nextDecision();
    this.decisions.set(id, decision);
    const refund = await patiently(`the refund ${id} is known`, async () => this.api.refund(id));
    if (decision === 'approve by command') await this.approveByCommand(id);
    else if (refund.status === 'REQUESTED')
      await this.carryOut(
        decision === 'refuse by console'
          ? { kind: 'REFUND_REFUSE', refundId: id }
          : { kind: 'REFUND_APPROVE', refundId: id, recipient: mistake.sender, amount: refund.amount },
      );
    const end = decision === 'refuse by console' ? 'REFUSED' : 'COMPLETED';
    return patiently(`the refund ${id} is ${end}`, async () => {
      const decided = await this.api.refund(id);
      return decided?.status === end ? { id, paid: readPayment(decided) } : null;
    });
  }

  private async approveByCommand(id: Hex): Promise<void> {
    // Each command is a process. Run one at a time, to leave the machine to the bridge.
    const approved = this.last.then(() => this.approve(id));
    this.last = approved.catch(() => undefined);
    await approved;
  }

  private async approve(id: Hex): Promise<void> {
    const { firstOperator, secondOperator } = this.environment.accounts;
    for (const operator of [firstOperator, secondOperator]) {
      await patiently(`an operator approves the refund ${id}`, async () => {
        const { code } = await this.environment.operatorCommand(operator, 'refund', 'approve', id);
        if (code === 0) return true;
        // The command can have been cut off after storing its approval, and the refund can be paid by now.
        const refund = await this.api.refund(id);
        return refund === null || refund.status === 'REQUESTED' ? null : true;
      });
    }
  }

  /** Makes a console request, has it approved if needed, and waits until it is carried out. */
  private async carryOut(terms: RequestTerms): Promise<void> {
    const asked = await this.first.ask(terms);
    if (asked.state === 'AWAITING_APPROVAL') await this.second.approve(asked);
    const ended = await patiently(`the request ${asked.id} has ended`, async () => {
      const request = await this.first.find(asked.id);
      return request.endedAt === null ? null : request;
    });
    if (ended.state === 'DONE') this.carriedOut.push(ended);
    else this.failures.push(`The request ${asked.id} is ${ended.state}: ${ended.outcome}`);
  }
}

/** Returns the atomic units that the payer got back; 0 for a refused refund. */
function readPayment({ id, status, amount, payment }: RefundResponse): bigint {
  if (status === 'REFUSED' && payment === null) return 0n;
  const parts = payment === null ? 0n : BigInt(payment.amount) + BigInt(payment.gasFee) + BigInt(payment.dust);
  if (parts !== BigInt(amount)) throw new Error(`The parts of refund ${id} are ${parts}, not ${amount}`);
  return BigInt(payment?.amount ?? 0);
}
