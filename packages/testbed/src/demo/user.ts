import {
  bindOriginResponseSchema,
  bridgeOperationResponseSchema,
  errorResponseSchema,
  intentDomain,
  intentResponseSchema,
  tokenOfAsset,
  xcnWithdrawIntentTypes,
  type Asset,
  type BridgeOperationResponse,
} from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Address, Hex, TransactionReceipt } from 'viem';
import type { z } from 'zod';
import type { ChainClients } from '../world/chain-clients.js';
import type { TestAccount } from '../world/test-accounts.js';
import type { World } from '../world/world.js';

/** What a user sent to begin a transfer. */
export interface Sent {
  /** The transaction the bridge knows the operation by. */
  readonly originTxHash: Hex;
  /** All transactions it took, an approval included. */
  readonly receipts: readonly TransactionReceipt[];
}

/** Somebody who uses the bridge through its contracts and its REST API, and nothing else. */
export class User {
  constructor(
    private readonly world: World,
    readonly account: TestAccount,
  ) {}

  /** Ethereum to partner chain: approve if need be, then deposit. */
  async deposit(asset: Asset, amount: bigint, recipient: Address): Promise<Sent> {
    const { book, ethereum } = this.world;
    const wallet = ethereum.walletOf(this.account);
    const address = book.ethereum.bridgeLock;
    if (asset === 'ETH') {
      const hash = await wallet.writeContract({
        address,
        abi: bridgeLockAbi,
        functionName: 'depositNative',
        args: [recipient],
        value: amount,
      });
      return sent([await mined(ethereum, hash)]);
    }
    const token = tokenOfAsset(book, 'ethereum', asset);
    const approval = await wallet.writeContract({
      address: token,
      abi: bridgedTokenAbi,
      functionName: 'approve',
      args: [address, amount],
    });
    const approved = await mined(ethereum, approval);
    const hash = await wallet.writeContract({
      address,
      abi: bridgeLockAbi,
      functionName: 'deposit',
      args: [token, amount, recipient],
    });
    return sent([approved, await mined(ethereum, hash)]);
  }

  /** Partner chain to Ethereum, ETH and USDC: burn, for at most the fee that was quoted. */
  async burn(asset: 'ETH' | 'USDC', amount: bigint, destination: Address, maxFee: bigint): Promise<Sent> {
    const { book, partner } = this.world;
    const hash = await partner.walletOf(this.account).writeContract({
      address: book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'burn',
      args: [tokenOfAsset(book, 'partner', asset), amount, destination, maxFee],
    });
    return sent([await mined(partner, hash)]);
  }

  /** Partner chain to Ethereum, XCN: sign an intent, register it, pay the relayer wallet, bind the payment. */
  async withdrawXcn(amount: bigint, recipient: Address, nonce: string): Promise<Sent & { intentId: Hex }> {
    const intent = await this.registerIntent(amount, recipient, nonce);
    const wallet = this.world.partner.walletOf(this.account);
    const hash = await wallet.sendTransaction({ to: intent.relayerWalletAddress, value: amount });
    await this.bindOrigin(intent.intentId, hash);
    return { ...sent([await mined(this.world.partner, hash)]), intentId: intent.intentId };
  }

  /** Signs and registers an intent. */
  async registerIntent(
    amount: bigint,
    recipient: Address,
    nonce: string,
  ): Promise<z.output<typeof intentResponseSchema>> {
    const deadline = Math.floor(Date.now() / 1000) + 1_800;
    const sender = this.account.address;
    const signature = await this.world.partner.walletOf(this.account).signTypedData({
      domain: intentDomain(this.world.book.partner),
      types: xcnWithdrawIntentTypes,
      primaryType: 'XcnWithdrawIntent',
      message: { sender, recipient, amount, deadline: BigInt(deadline), nonce },
    });
    return this.post('/bridge/xcn-withdraw-intent', intentResponseSchema, {
      senderAddress: sender,
      recipientAddress: recipient,
      amountAtomic: amount.toString(),
      idempotencyKey: `demo-${nonce}`,
      deadline,
      nonce,
      signature,
    });
  }

  /** Tells the bridge which transaction pays an intent. */
  async bindOrigin(intentId: Hex, originTxHash: Hex): Promise<z.output<typeof bindOriginResponseSchema>> {
    const body = { intentId, senderAddress: this.account.address, originTxHash };
    return this.post('/bridge/xcn-withdraw-intent/bind-origin', bindOriginResponseSchema, body);
  }

  /** The operation of an origin transaction; null while the bridge has not seen it. */
  async status(originTxHash: Hex): Promise<BridgeOperationResponse | null> {
    const response = await fetch(`${this.world.stack.apiUrl}/bridge/status?originTxHash=${originTxHash}`);
    if (response.status === 404) return null;
    return read(response, bridgeOperationResponseSchema);
  }

  /** Any GET of the API, checked against its schema. */
  async get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return read(await fetch(`${this.world.stack.apiUrl}${path}`), schema);
  }

  private async post<S extends z.ZodType>(path: string, schema: S, body: object): Promise<z.output<S>> {
    const response = await fetch(`${this.world.stack.apiUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return read(response, schema);
  }
}

/** The bridge's API refused a request. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(`${code}: ${message}`);
  }
}

async function read<S extends z.ZodType>(response: Response, schema: S): Promise<z.output<S>> {
  const body: unknown = await response.json();
  if (response.ok) return schema.parse(body);
  const { error, message } = errorResponseSchema.parse(body);
  throw new ApiRefusal(response.status, error, message);
}

async function mined({ client }: ChainClients, hash: Hex): Promise<TransactionReceipt> {
  const receipt = await client.waitForTransactionReceipt({ hash });
  if (receipt.status !== 'success') throw new Error(`Transaction ${hash} reverted`);
  return receipt;
}

function sent(receipts: readonly TransactionReceipt[]): Sent {
  const last = receipts.at(-1);
  if (last === undefined) throw new Error('Nothing was sent');
  return { originTxHash: last.transactionHash, receipts };
}
