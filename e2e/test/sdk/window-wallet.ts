import { waitUntil } from '@causeway/test-kit';
import {
  createWalletClient,
  defineChain,
  http,
  keccak256,
  numberToHex,
  publicActions,
  type Address,
  type Hex,
  type PrivateKeyAccount,
  type TypedDataDefinition,
} from 'viem';

/** A request that waits for the user of a wallet. It outlives the page that has asked. */
export interface WalletWindow {
  readonly method: string;
  /** Signs or sends, as the user's click does. */
  readonly approve: () => Promise<void>;
  /** As the user's click on "Reject". */
  readonly refuse: () => void;
}

interface Call {
  readonly to: Address;
  readonly data?: Hex;
  readonly value?: Hex;
}

/** A provider of EIP-1193 with a window: nothing is signed or sent before its user approves. */
export class WindowWallet {
  /** Requests that wait, oldest first. */
  readonly windows: WalletWindow[] = [];
  /** Whether the user approves every request immediately. */
  approvesAll = true;
  /** Requests so far to sign or to send. */
  asked = 0;
  /** Is called after each of them was approved. */
  onApproved: () => void = () => undefined;
  /** The chain that the wallet is on, whatever its node says. */
  chainId: number;
  /** The key that signs: another one than the account's when the user has switched unseen. */
  signer: PrivateKeyAccount;
  /** Sends its next transaction with higher fees than the page gets to know: its hash is never mined. */
  replacesNext = false;
  private readonly client;
  /** Transactions of one account are sent one after the other, so that each gets a nonce of its own. */
  private sending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly account: PrivateKeyAccount,
    chainId: number,
    url: string,
  ) {
    const nativeCurrency = { name: 'coin', symbol: 'COIN', decimals: 18 };
    const chain = defineChain({ id: chainId, name: 'test', nativeCurrency, rpcUrls: { default: { http: [url] } } });
    this.client = createWalletClient({ account, chain, transport: http(url, { retryCount: 0 }) }).extend(publicActions);
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

  /** The user clicks through all windows. */
  async approveAll(): Promise<void> {
    for (const window of this.windows.slice()) await window.approve();
  }

  private async open(method: string, work: () => Promise<Hex>): Promise<Hex> {
    this.asked += 1;
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
          reject(Object.assign(new Error('User rejected the request.'), { code: 4001 }));
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
    const request = { to, value: BigInt(value ?? 0), ...(data === undefined ? {} : { data }) };
    if (!this.replacesNext) return this.client.sendTransaction(request);
    this.replacesNext = false;
    const prepared = await this.client.prepareTransactionRequest({ ...request, type: 'eip1559' });
    const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = prepared;
    const first = {
      ...request,
      type: 'eip1559',
      chainId: this.client.chain.id,
      nonce,
      gas,
      maxPriorityFeePerGas,
    } as const;
    const unsent = await this.account.signTransaction({ ...first, maxFeePerGas });
    const raised = await this.account.signTransaction({ ...first, maxFeePerGas: maxFeePerGas * 2n + 1n });
    await this.client.sendRawTransaction({ serializedTransaction: raised });
    return keccak256(unsent);
  }
}
