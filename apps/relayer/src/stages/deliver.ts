import {
  broadcast,
  estimateFees,
  FeeCapError,
  signTransaction,
  simulate,
  type Fees,
  type Signer,
} from '@causeway/chain';
import type { DelayReason } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { OperationNotDueError, type Fence, type Operation, type Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Abi } from 'viem';
import type { Configuration } from '../configuration.js';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, SIGNER, STORE } from '../infrastructure.js';
import { forEachParallel, forEachSequential } from '../pipeline/for-each.js';
import { haltedChains } from '../pipeline/halted-chains.js';
import { isOriginFinal } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';
import { delayOfBroadcast, delayOfSimulation, nextAttemptAt } from '../wallet/delivery-delay.js';
import { callOf } from '../wallet/replace-transaction.js';
import { amountFromFloat, deliveryGasLimit, encodeDelivery, type Delivery } from './encode-delivery.js';

/** Maximum operations of one chain per run. */
const MAX_OPERATIONS = 50;
const ABI = [...bridgeLockAbi, ...bridgeMintAbi] as Abi;

/**
 * Stages 5 and 6. Delivers due operations: simulates the call, signs it with the next nonce, journals it together with
 * the change of status, and only then broadcasts it. `FollowDeliveries` and the settle stage take it from there.
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
    const touchesHalted = await haltedChains(this.store);
    await forEachParallel(eachChain(this.chains), async (chain) => {
      const due = await this.store.operations.findDue(chain.chainId, new Date(), MAX_OPERATIONS);
      const running = due.filter((operation) => !touchesHalted(operation));
      await forEachSequential(running, (operation) => this.deliver(fence, chain, operation));
    });
  }

  private async deliver(fence: Fence, chain: BridgeChain, operation: Operation): Promise<void> {
    const origin = eachChain(this.chains).find(({ chainId }) => chainId === operation.originChainId);
    if (origin === undefined)
      throw new Error(`Operation ${operation.id} has an unknown origin chain ${operation.originChainId}`);
    // Checked again right before money moves: the scan may lag behind a reorg.
    if (!(await isOriginFinal(this.store, origin, operation))) {
      return this.delay(fence, operation, 'ORIGIN_NOT_CONFIRMED');
    }
    const { client } = chain.connection;
    const delivery = encodeDelivery(operation, {
      book: this.configuration.addressBook,
      isPaidFromFloat: await this.doesFloatCover(chain, operation),
      intent: operation.kind === 'INTENT' ? await this.store.intents.find(operation.id) : null,
    });
    const simulation = await simulate(client, { from: this.signer.address, ...delivery }, ABI);
    if (simulation.kind === 'reverted' && simulation.errorName === 'AlreadyDelivered') {
      // Its event is not scanned yet, or was scanned just now.
      this.logger.info({ operationId: operation.id }, 'the contract has already paid this operation');
      return;
    }
    if (simulation.kind !== 'ok') {
      this.logger.warn({ operationId: operation.id, simulation }, 'the simulated delivery fails');
      return this.delay(fence, operation, delayOfSimulation(simulation, chain.side));
    }
    const fees = await this.fees(chain);
    if (fees === null) return this.delay(fence, operation, 'FEES_ABOVE_CAP');
    await this.send(fence, chain, operation, delivery, { ...fees, gas: deliveryGasLimit(simulation.gas) });
  }

  /**
   * Whether the float of BridgeMint covers a mint of native XCN, beside the mints that are signed and not mined. They
   * are read first: one that is mined in between counts twice, never not at all.
   */
  private async doesFloatCover({ chainId, connection, bridge }: BridgeChain, operation: Operation): Promise<boolean> {
    if (operation.direction !== 'ETHEREUM_TO_PARTNER' || operation.asset !== 'XCN') return false;
    const { client } = connection;
    const { address } = this.signer;
    const wallet = { chainId, address: address.toLowerCase() as typeof address };
    const chainNonce = BigInt(await client.getTransactionCount({ address }));
    const unmined = await this.store.journal.unmined(wallet, chainNonce);
    const float = await client.readContract({ address: bridge, abi: bridgeMintAbi, functionName: 'float' });
    return float >= amountFromFloat(unmined.map(callOf)) + operation.outputAmount;
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
    // A mint out of the wallet leaves the working balance, which pays the gas of all other deliveries.
    const kept = delivery.value === 0n ? 0n : this.configuration.workingBalance;
    if (balance < delivery.value + kept + terms.gas * terms.maxFeePerGas)
      return this.delay(fence, operation, 'FLOAT_SHORT');
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
