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
/** More than a first transfer of tokens on the partner chain takes; recipients spend the faucet's coin on gas. */
const MOST_GAS = 1_000_000n;

/** A payment that a node has accepted. */
export interface Payment {
  readonly transactionHash: Hex;
  /** False when no block had it in time. */
  readonly isMined: boolean;
}

/** The faucet's wallet on one chain. It signs one transaction after the other, and waits for their blocks together. */
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
   * Pays an amount of an asset, and waits for the block of the transaction.
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
      new FaucetError('FAUCET_EMPTY', `The faucet has too little ${asset} on ${chain}, or no coins for gas`, { cause });
    try {
      const coins = await client.getBalance({ address });
      const held = isCoin
        ? coins
        : await client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] });
      if (held < amount || coins <= value) throw empty();
      const counted = await client.getTransactionCount({ address, blockTag: 'pending' });
      // Not every node counts the transactions that wait for a block.
      const nonce = this.unmined > 0 ? Math.max(counted, this.nextNonce) : counted;
      const call = isCoin ? { to: recipient, value } : { to: token, data };
      const request = await wallet.prepareTransactionRequest({ ...call, nonce });
      if (request.gas > MOST_GAS) {
        throw new FaucetError('TRANSFER_REFUSED', `The recipient takes more than ${MOST_GAS} gas`);
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
        throw new FaucetError('TRANSFER_REFUSED', `${asset} or the recipient refuses this transfer`, { cause: error });
      }
      const message = `The node of ${chain} does not accept the transaction now`;
      throw new FaucetError('CHAIN_UNAVAILABLE', message, { cause: error });
    }
  }

  /** @throws Error when the node has certainly not accepted it. */
  private async broadcast(serializedTransaction: Hex): Promise<Hex> {
    const { client } = this.chain;
    const hash = keccak256(serializedTransaction);
    try {
      await client.sendRawTransaction({ serializedTransaction });
    } catch (error) {
      // The answer was lost, or a repetition was refused as known: the transaction may pay all the same.
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
    // Without a receipt the transaction may still pay, so it is not a failure.
    const receipt = await this.chain.client.waitForTransactionReceipt(wait).catch(() => null);
    if (receipt?.status === 'reverted') throw new FaucetError('TRANSACTION_FAILED', `Transaction ${hash} reverted`);
    return receipt !== null;
  }
}

function isCausedBy(error: unknown, type: abstract new (...args: never) => Error): boolean {
  return error instanceof BaseError && error.walk((cause) => cause instanceof type) !== null;
}
