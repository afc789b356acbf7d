import { canonicalJson, type Side } from '@causeway/protocol';
import {
  APPROVAL_WINDOW_SECONDS,
  requestDeployment,
  requestDigest,
  computeVersion,
  type RequestTerms,
} from '@causeway/protocol/admin';
import type { Store } from '@causeway/store';
import type { BridgeChains } from '../../dist/bridge-chain.js';
import { CommandRefusedError } from '../../dist/commands/command-context.js';
import { explainDifference } from '../../dist/commands/deliveries.js';
import { resumeChain } from '../../dist/commands/halts.js';
import { keccak256, stringToHex, type Address, type Hex } from 'viem';
import { BOOK, ROLES } from '../bridge.ts';
import { CONFIGURATION, OPERATORS } from './configuration.ts';
import { FORWARDER } from './people.ts';
import type { Simulation } from './simulation.ts';
import type { UsedUpNumbers } from './used-up-numbers.ts';

const PAUSE_MS = 10_000;
type Context = Parameters<typeof resumeChain>[0];

/**
 * The bridge's operators. They accept reorgs of final blocks and reopened numbers, approve every refund, and explain
 * balances.
 */
export class Operators {
  private readonly simulation: Simulation;
  private readonly store: Store;
  private readonly print: (line: string) => void;

  private readonly numbers: UsedUpNumbers;

  constructor(simulation: Simulation, numbers: UsedUpNumbers) {
    this.simulation = simulation;
    this.numbers = numbers;
    this.store = simulation.makeStore(simulation.kernel.process('operators'));
    this.print = (line) => simulation.tell(`operators: ${line}`);
  }

  start(): void {
    const { simulation } = this;
    const process = simulation.kernel.process('operators');
    // Only a halt needs the nodes.
    let chains: BridgeChains | null = null;
    const context = {
      configuration: CONFIGURATION,
      signer: ROLES.relayer.signer,
      get chains() {
        return (chains ??= simulation.makeChains(process));
      },
      chainsChecked: Promise.resolve(),
      mirror: null,
      tracing: null,
      store: this.store,
      print: this.print,
    };
    const work = () => {
      this.simulation.kernel.at(this.simulation.kernel.now() + PAUSE_MS, work, process);
      const failed = (error: unknown) => {
        // The nodes or the database are unavailable; the next round retries.
        this.print(error instanceof CommandRefusedError ? error.message : `failed: ${String(error).split('\n')[0]}`);
      };
      void this.resume(context)
        .then(() => this.decide())
        .then(() => this.explain(context))
        .catch(failed);
    };
    work();
  }

  private async resume(context: Context): Promise<void> {
    for (const { chainId } of await this.store.halts.list())
      await resumeChain(context, getSide(chainId), { acceptReorg: true });
    const { useless } = this.simulation;
    if (useless.size === 0 || this.numbers.areLeft || (await this.store.halts.deliveries()) === null) return;
    const unknown = await this.store.verdicts.unknown();
    // Other people must decide about a forged delivery.
    if (unknown.every(({ name, txHash }) => useless.has(txHash) || name === 'Reopened'))
      await resumeChain(context, 'deliveries', { acceptUnknown: true });
  }

  private async decide(): Promise<void> {
    for (const { id: refundId, payer, operationId, amount, status } of await this.store.refunds.findOpen()) {
      if (status !== 'REQUESTED') continue;
      const recipient = payer === FORWARDER ? await this.findSigner(operationId) : payer;
      if (recipient === null) continue;
      await this.approve({ kind: 'REFUND_APPROVE', refundId, recipient, amount: amount.toString() });
    }
  }

  /** The first operator makes the request, and the second signs it. A pending request is left alone. */
  private async approve(terms: RequestTerms): Promise<void> {
    const { kernel } = this.simulation;
    const now = new Date(kernel.now());
    const [first, second] = OPERATORS;
    const deployment = requestDeployment(BOOK);
    const snapshot = await this.store.requests.readSnapshot(terms, deployment.chainIds);
    const request = {
      id: keccak256(stringToHex(`${canonicalJson(terms)} at ${kernel.now()}`)),
      terms,
      decidedOn: snapshot,
      reason: 'seen in an explorer',
      validUntil: Math.floor(kernel.now() / 1_000) + APPROVAL_WINDOW_SECONDS,
    };
    const digest = requestDigest(deployment, request);
    const signed = (operator: typeof first) => ({
      operator: operator.address,
      signature: operator.signDigest(digest),
    });
    const by = (operator: typeof first) => ({
      actor: { address: operator.address, role: null, sessionId: null },
      now,
    });
    const asked = {
      ...request,
      version: computeVersion(snapshot),
      requestedBy: first.address,
      approvalsNeeded: OPERATORS.length,
    };
    const { kind } = await this.store.requests.create(asked, signed(first), by(first));
    if (kind === 'created') await this.store.requests.approve(request.id, signed(second), by(second));
  }

  /** The forwarder does not accept coin, so operators find out who used it. Null while the transaction is unknown. */
  private async findSigner(operationId: Hex): Promise<Address | null> {
    const { partner } = this.simulation.bridge;
    const operation = await this.store.operations.findById(operationId);
    const place = partner.place(operation?.origin?.txHash ?? '0x');
    return place?.block.mined[place.index]?.transaction.from ?? null;
  }

  private async explain(context: Context): Promise<void> {
    for (const { chainId, blockNumber } of await this.store.audits.unexplained())
      await explainDifference(context, getSide(chainId), blockNumber.toString(), 'seen in an explorer');
  }
}

function getSide(chainId: number): Side {
  return chainId === BOOK.partner.chainId ? 'partner' : 'ethereum';
}
