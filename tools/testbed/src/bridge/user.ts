import { setTimeout } from 'node:timers/promises';
import {
  intentDomain,
  getToken,
  xcnWithdrawIntentTypes,
  type AddressBook,
  type Asset,
  type BridgeOperationResponse,
} from '@causeway/protocol';
import {
  bindOriginResponseSchema,
  bridgeOperationResponseSchema,
  errorResponseSchema,
  historyResponseSchema,
  intentResponseSchema,
} from '@causeway/protocol/rest';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Address, Hex, TransactionReceipt } from 'viem';
import type { z } from 'zod';
import type { TestAccount } from './accounts.js';
import type { ChainClients } from './clients.js';

/** Milliseconds before a retry after slow nodes prevented an answer. */
const RETRY_MS = 2_000;

/** The transactions that begin a transfer. */
export interface Sent {
  /** The transaction of the deposit, burn or payment. */
  readonly originTxHash: Hex;
  /** All transactions in order, with the approval if there was one. */
  readonly receipts: readonly TransactionReceipt[];
}

/** What a user needs of the bridge. Without the API, only deposits work. */
interface PublicBridge {
  readonly book: AddressBook;
  readonly ethereum: ChainClients;
  readonly partner: ChainClients;
  readonly stack?: { readonly apiUrl: string };
}

/** A user of the bridge, who uses only its contracts and its REST API. */
export class User {
  constructor(
    private readonly bridge: PublicBridge,
    readonly account: TestAccount,
  ) {}

  /** Ethereum to partner chain: approve a token, then deposit. */
  async deposit(asset: Asset, amount: bigint, recipient: Address): Promise<Sent> {
    const { book, ethereum } = this.bridge;
    const wallet = ethereum.getWallet(this.account);
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
    const token = getToken(book, 'ethereum', asset);
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

  /** Partner chain to Ethereum, every asset but XCN: burn, for at most the quoted fee. */
  async burn(asset: Asset, amount: bigint, destination: Address, maxFee: bigint): Promise<Sent> {
    const { book, partner } = this.bridge;
    const hash = await partner.getWallet(this.account).writeContract({
      address: book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'burn',
      args: [getToken(book, 'partner', asset), amount, destination, maxFee],
    });
    return sent([await mined(partner, hash)]);
  }

  /** Partner chain to Ethereum, XCN: pay it to BridgeMint, for at most the quoted fee. */
  async withdrawNative(amount: bigint, destination: Address, maxFee: bigint): Promise<Sent> {
    const { book, partner } = this.bridge;
    const hash = await partner.getWallet(this.account).writeContract({
      address: book.partner.bridgeMint,
      abi: bridgeMintAbi,
      functionName: 'withdrawNative',
      args: [destination, maxFee],
      value: amount,
    });
    return sent([await mined(partner, hash)]);
  }

  /** Partner chain to Ethereum, XCN: sign an intent, register it, pay the relayer wallet, bind the payment. */
  async withdrawXcn(amount: bigint, recipient: Address, nonce: string): Promise<Sent & { intentId: Hex }> {
    const intent = await this.registerIntent(amount, recipient, nonce);
    const wallet = this.bridge.partner.getWallet(this.account);
    const hash = await wallet.sendTransaction({ to: intent.relayerWalletAddress, value: amount });
    await this.bindOrigin(intent.intentId, hash);
    return { ...sent([await mined(this.bridge.partner, hash)]), intentId: intent.intentId };
  }

  /** Signs and registers an intent. */
  async registerIntent(
    amount: bigint,
    recipient: Address,
    nonce: string,
  ): Promise<z.output<typeof intentResponseSchema>> {
    const deadline = Math.floor(Date.now() / 1000) + 1_800;
    const sender = this.account.address;
    const signature = await this.bridge.partner.getWallet(this.account).signTypedData({
      domain: intentDomain(this.bridge.book.partner),
      types: xcnWithdrawIntentTypes,
      primaryType: 'XcnWithdrawIntent',
      message: { sender, recipient, amount, deadline: BigInt(deadline), nonce },
    });
    const body = {
      senderAddress: sender,
      recipientAddress: recipient,
      amountAtomic: amount.toString(),
      idempotencyKey: `demo-${nonce}`,
      deadline,
      nonce,
      signature,
    };
    const register = async () => this.post('/bridge/xcn-withdraw-intent', intentResponseSchema, body);
    return register().catch(async (error: unknown) => {
      // After slow nodes, the API asks the client to repeat the request.
      if (!(error instanceof ApiRefusal) || error.code !== 'SIGNATURE_VERIFICATION_UNAVAILABLE') throw error;
      await setTimeout(RETRY_MS);
      return register();
    });
  }

  /** Binds the transaction that pays an intent. */
  async bindOrigin(intentId: Hex, originTxHash: Hex): Promise<z.output<typeof bindOriginResponseSchema>> {
    const body = { intentId, senderAddress: this.account.address, originTxHash };
    return this.post('/bridge/xcn-withdraw-intent/bind-origin', bindOriginResponseSchema, body);
  }

  /** Returns the operation that a transaction begins, even before the relayer has read it; null if there is none. */
  async status(originTxHash: Hex): Promise<BridgeOperationResponse | null> {
    const response = await fetch(`${this.apiUrl}/bridge/status?originTxHash=${originTxHash}`);
    if (response.status === 404) return null;
    return read(response, bridgeOperationResponseSchema);
  }

  /** Whether the relayer has read an origin transaction of this user, so that the history lists it. */
  async isRead(originTxHash: Hex): Promise<boolean> {
    const page = await this.get(`/bridge/history?address=${this.account.address}&limit=100`, historyResponseSchema);
    return page.operations.some((operation) => operation.originTxHash === originTxHash);
  }

  /** Sends a GET to the API and checks the answer against a schema. */
  async get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return read(await fetch(`${this.apiUrl}${path}`), schema);
  }

  private get apiUrl(): string {
    const { stack } = this.bridge;
    if (stack === undefined) throw new Error('This bridge has no API yet');
    return stack.apiUrl;
  }

  private async post<S extends z.ZodType>(path: string, schema: S, body: object): Promise<z.output<S>> {
    const response = await fetch(`${this.apiUrl}${path}`, {
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
