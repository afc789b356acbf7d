import { waitUntil } from '@causeway/test-kit';
import {
  createWalletClient,
  defineChain,
  http,
  numberToHex,
  publicActions,
  type Address,
  type Hex,
  type PrivateKeyAccount,
  type Transport,
  type TypedDataDefinition,
} from 'viem';

/** A wallet request that waits for the user. It outlives the requesting page. */
export interface WalletWindow {
  readonly method: string;
  /** Signs or sends, like the user's click. */
  readonly approve: () => Promise<void>;
  /** Rejects, like the user's click. */
  readonly refuse: () => void;
}

/** Makes the error with which a wallet says that its user refused. */
export function makeRefusal(message: string, code?: number | string): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

interface Call {
  readonly to: Address;
  readonly data?: Hex;
  readonly value?: Hex;
}

/** An EIP-1193 provider with windows: it signs and sends only what its user approves. */
export class WindowWallet {
  /** Waiting requests, oldest first. */
  readonly windows: WalletWindow[] = [];
  /** Whether the user approves every request immediately. */
  approvesAll = true;
  /** Number of requests to sign or send. */
  asked = 0;
  /** Called after each approval. */
  onApproved: () => void = () => undefined;
  /** The wallet's chain, independent of its node. */
  chainId: number;
  /** The signing key; it differs from the account's when the user has switched silently. */
  signer: PrivateKeyAccount;
  /** The error with which the user refuses a request, and its number from 1. */
  refusal: { readonly request: number; readonly error: Error } | null = null;
  private readonly client;
  /** Sends transactions in order, so that each gets its own nonce. */
  private sending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly account: PrivateKeyAccount,
    chainId: number,
    url: string,
    transport: Transport = http(url, { retryCount: 0 }),
  ) {
    const nativeCurrency = { name: 'coin', symbol: 'COIN', decimals: 18 };
    const chain = defineChain({ id: chainId, name: 'test', nativeCurrency, rpcUrls: { default: { http: [url] } } });
    this.client = createWalletClient({ account, chain, transport }).extend(publicActions);
    this.chainId = chainId;
    this.signer = account;
  }

  readonly request = async ({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> => {
    if (method === 'eth_accounts' || method === 'eth_requestAccounts') return [this.account.address];
    if (method === 'eth_chainId') return numberToHex(this.chainId);
    if (method === 'eth_sendTransaction') return this.open(method, async () => this.send((params as [Call])[0]));
    if (method === 'eth_signTypedData_v4') {
      const typedData = JSON.parse((params as [Address, string])[1]) as TypedDataDefinition;
      return this.open(method, async () => this.signer.signTypedData(typedData));
    }
    return this.client.request({ method, params } as Parameters<typeof this.client.request>[0]);
  };

  /** Waits until a window is open. */
  async opened(): Promise<void> {
    await waitUntil('the wallet opens a window', async () => this.windows.length > 0);
  }

  /** Approves all windows. */
  async approveAll(): Promise<void> {
    for (const window of this.windows.slice()) await window.approve();
  }

  private async open(method: string, work: () => Promise<Hex>): Promise<Hex> {
    this.asked += 1;
    if (this.refusal?.request === this.asked) throw this.refusal.error;
    const approved = async () => {
      const outcome = await work();
      this.onApproved();
      return outcome;
    };
    if (this.approvesAll) return approved();
    return new Promise((resolve, reject) => {
      const close = () => this.windows.splice(this.windows.indexOf(window), 1);
      const window: WalletWindow = {
        method,
        approve: async () => {
          close();
          await approved().then(resolve, reject);
        },
        refuse: () => {
          close();
          reject(makeRefusal('User rejected the request.', 4001));
        },
      };
      this.windows.push(window);
    });
  }

  private async send(call: Call): Promise<Hex> {
    const sent = this.sending.then(
      async () => this.sendNow(call),
      async () => this.sendNow(call),
    );
    this.sending = sent;
    return sent;
  }

  private async sendNow({ to, data, value }: Call): Promise<Hex> {
    return this.client.sendTransaction({ to, value: BigInt(value ?? 0), ...(data === undefined ? {} : { data }) });
  }
}
