import {
  BaseError,
  encodeFunctionData,
  erc20Abi,
  ExecutionRevertedError,
  InsufficientFundsError,
  keccak256,
  TransactionNotFoundError,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import type { TestAccount } from '../bridge/accounts.js';
import type { ChainClients } from '../bridge/clients.js';
import type { FaucetAsset } from './configuration.js';
import { FaucetError } from './faucet-error.js';

const POLL_MS = 500;
/** Above the gas of a first token transfer on the partner chain. A recipient's code spends the faucet's gas. */
const MOST_GAS = 1_000_000n;

/** A payment that a node has accepted. */
export interface Payment {
  readonly transactionHash: Hex;
  /** False when it was not mined in time. */
  readonly isMined: boolean;
}

/** The faucet's wallet on one chain. It sends transactions one by one, and waits for their receipts in parallel. */
export class FaucetWallet {
  private queue: Promise<unknown> = Promise.resolve();
  private unmined = 0;
  private nextNonce = 0;

  constructor(
    private readonly chain: ChainClients,
    private readonly account: TestAccount,
    private readonly timeoutMs: number,
  ) {}

  /**
   * Pays the asset's amount, and waits until the transaction is mined.
   *
   * @throws FaucetError when nothing was paid.
   */
  async pay(asset: FaucetAsset, recipient: Address): Promise<Payment> {
    const sending = this.queue.then(async () => this.send(asset, recipient));
    this.queue = sending.catch(() => undefined);
    const transactionHash = await sending;
    try {
      return { transactionHash, isMined: await this.isMined(transactionHash) };
    } finally {
      this.unmined -= 1;
    }
  }

  private async send({ token, amount, asset, chain }: FaucetAsset, recipient: Address): Promise<Hex> {
    const { client, getWallet } = this.chain;
    const { address } = this.account;
    const wallet = getWallet(this.account);
    const isCoin = token === zeroAddress;
    const value = isCoin ? amount : 0n;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient, amount] });
    const empty = (cause?: unknown) =>
      new FaucetError('FAUCET_EMPTY', `The faucet lacks ${asset} or coins for gas on ${chain}`, { cause });
    try {
      const coins = await client.getBalance({ address });
      const held = isCoin
        ? coins
        : await client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] });
      if (held < amount || coins <= value) throw empty();
      const counted = await client.getTransactionCount({ address, blockTag: 'pending' });
      // Some nodes do not count pending transactions.
      const nonce = this.unmined > 0 ? Math.max(counted, this.nextNonce) : counted;
      const call = isCoin ? { to: recipient, value } : { to: token, data };
      const request = await wallet.prepareTransactionRequest({ ...call, nonce });
      if (request.gas > MOST_GAS) {
        throw new FaucetError('TRANSFER_REFUSED', `The transfer to this recipient needs more than ${MOST_GAS} gas`);
      }
      if (coins < value + request.gas * (request.maxFeePerGas ?? request.gasPrice ?? 0n)) throw empty();
      const hash = await this.broadcast(await wallet.signTransaction(request));
      this.nextNonce = nonce + 1;
      this.unmined += 1;
      return hash;
    } catch (error) {
      if (error instanceof FaucetError) throw error;
      if (isCausedBy(error, InsufficientFundsError)) throw empty(error);
      if (isCausedBy(error, ExecutionRevertedError)) {
        throw new FaucetError('TRANSFER_REFUSED', `${asset} or the recipient reverts this transfer`, { cause: error });
      }
      const message = `The node of ${chain} did not accept the transaction`;
      throw new FaucetError('CHAIN_UNAVAILABLE', message, { cause: error });
    }
  }

  /** @throws Error when the node certainly did not accept it. */
  private async broadcast(serializedTransaction: Hex): Promise<Hex> {
    const { client } = this.chain;
    const hash = keccak256(serializedTransaction);
    try {
      await client.sendRawTransaction({ serializedTransaction });
    } catch (error) {
      // The answer was lost, or a retry was refused as already known: the transaction can still pay.
      const isUnknown = await client.getTransaction({ hash }).then(
        () => false,
        (reason: unknown) => reason instanceof TransactionNotFoundError,
      );
      if (isUnknown) throw error;
    }
    return hash;
  }

  private async isMined(hash: Hex): Promise<boolean> {
    const wait = { hash, timeout: this.timeoutMs, pollingInterval: POLL_MS };
    // Without a receipt the transaction can still pay, so it is not a failure.
    const receipt = await this.chain.client.waitForTransactionReceipt(wait).catch(() => null);
    if (receipt?.status === 'reverted') throw new FaucetError('TRANSACTION_FAILED', `Transaction ${hash} reverted`);
    return receipt !== null;
  }
}

function isCausedBy(error: unknown, type: abstract new (...args: never) => Error): boolean {
  return error instanceof BaseError && error.walk((cause) => cause instanceof type) !== null;
}
