import {
  broadcast,
  estimateFees,
  FeeCapError,
  signTransaction,
  simulate,
  type Fees,
  type Signer,
} from '@causeway/chain';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { OperationNotDueError, type Fence, type Operation, type Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Abi } from 'viem';
import type { Configuration } from '../config/configuration.js';
import { decideDelivery, type Delivery } from '../decide/decide-delivery.js';
import { isOriginCanonical } from '../finalize/is-origin-canonical.js';
import { atOnce } from '../schedule/at-once.js';
import { eachInTurn } from '../schedule/each-in-turn.js';
import type { Stage } from '../schedule/stage.js';
import { eachChain, type BridgeChain, type BridgeChains } from '../world/bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, SIGNER, STORE } from '../world/tokens.js';
import { delayOfBroadcast, delayOfSimulation, type DelayReason } from './delay-reason.js';
import { nextAttemptAt } from './next-attempt-at.js';

const AT_ONCE = 50;
const ABI = [...bridgeLockAbi, ...bridgeMintAbi] as Abi;

/**
 * Stage 6. Pays what is due: tries the call, signs it under the next nonce, stores it in the journal together with the
 * change of status, and only then broadcasts. What happens to it afterwards is the follow stage's and the settle stage's.
 */
@Injectable()
export class DeliverStage implements Stage {
  readonly name = 'deliver';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(SIGNER) private readonly signer: Signer,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<void> {
    await atOnce(eachChain(this.chains), async (chain) => {
      const due = await this.store.operations.findDue(chain.chainId, new Date(), AT_ONCE);
      await eachInTurn(due, (operation) => this.deliver(fence, chain, operation));
    });
  }

  private async deliver(fence: Fence, chain: BridgeChain, operation: Operation): Promise<void> {
    const origin = eachChain(this.chains).find(({ chainId }) => chainId === operation.originChainId);
    if (origin === undefined || operation.origin === null)
      throw new Error(`Operation ${operation.id} has no origin here`);
    // Asked again right before money moves: the scan may lie behind a reorg.
    if (!(await isOriginCanonical(origin.connection.client, operation.origin))) {
      return this.delay(fence, operation, 'ORIGIN_NOT_CONFIRMED');
    }
    const delivery = decideDelivery(operation, this.configuration.addressBook);
    const { client } = chain.connection;
    const simulation = await simulate(client, { from: this.signer.address, ...delivery }, ABI);
    if (simulation.kind === 'reverted' && simulation.errorName === 'AlreadyDelivered') {
      // Paid before; its event is on the way to us, or came while we looked.
      this.logger.info({ operationId: operation.id }, 'the contract has paid this operation already');
      return;
    }
    if (simulation.kind !== 'ok') {
      this.logger.warn({ operationId: operation.id, simulation }, 'the delivery would not succeed now');
      return this.delay(fence, operation, delayOfSimulation(simulation));
    }
    const fees = await this.fees(chain);
    if (fees === null) return this.delay(fence, operation, 'FEES_ABOVE_CAP');
    await this.send(fence, chain, operation, delivery, { ...fees, gas: simulation.gas });
  }

  private async send(
    fence: Fence,
    chain: BridgeChain,
    operation: Operation,
    delivery: Delivery,
    terms: Fees & { gas: bigint },
  ): Promise<void> {
    const { client } = chain.connection;
    const address = this.signer.address;
    const wallet = { chainId: chain.chainId, address: address.toLowerCase() as typeof address };
    const balance = await client.getBalance({ address });
    if (balance < delivery.value + terms.gas * terms.maxFeePerGas) return this.delay(fence, operation, 'FLOAT_SHORT');
    const chainNonce = BigInt(await client.getTransactionCount({ address }));
    const signed = await this.store.journal
      .record(fence, operation.id, wallet, chainNonce, (nonce) =>
        signTransaction(this.signer, chain.chainId, delivery, { ...terms, nonce }),
      )
      .catch((error: unknown) => {
        if (error instanceof OperationNotDueError) return null;
        throw error;
      });
    if (signed === null) return;
    const result = await broadcast(client, signed.raw);
    this.logger.info(
      {
        operationId: operation.id,
        chainId: chain.chainId,
        txHash: signed.hash,
        nonce: signed.nonce.toString(),
        result: result.kind,
      },
      'delivery broadcast',
    );
    const reason = delayOfBroadcast(result);
    if (reason !== null) await this.delay(fence, operation, reason);
  }

  private async fees(chain: BridgeChain): Promise<Fees | null> {
    try {
      return await estimateFees(chain.connection.client, this.configuration.maxFeePerGas);
    } catch (error) {
      if (error instanceof FeeCapError) return null;
      throw error;
    }
  }

  private async delay(fence: Fence, operation: Operation, reason: DelayReason): Promise<void> {
    await this.store.operations.delay(fence, operation.id, reason, nextAttemptAt(Date.now(), operation.attempts));
    this.logger.warn({ operationId: operation.id, reason }, 'delivery delayed');
  }
}
