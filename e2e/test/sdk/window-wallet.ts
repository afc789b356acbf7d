import {
  createWalletClient,
  defineChain,
  http,
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
  readonly gas?: Hex;
}

/** A provider of EIP-1193 with a window: nothing is signed or sent before its user approves. */
export class WindowWallet {
  /** Requests that wait, oldest first. */
  readonly windows: WalletWindow[] = [];
  /** Whether the user approves every request immediately. */
  approvesAll = true;
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
  }

  get address(): Address {
    return this.account.address;
  }

  readonly request = async ({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> => {
    if (method === 'eth_accounts' || method === 'eth_requestAccounts') return [this.account.address];
    if (method === 'eth_sendTransaction') return this.open(method, async () => this.send((params as [Call])[0]));
    if (method === 'eth_signTypedData_v4') {
      const typedData = JSON.parse((params as [Address, string])[1]) as TypedDataDefinition;
      return this.open(method, async () => this.account.signTypedData(typedData));
    }
    return this.client.request({ method, params } as Parameters<typeof this.client.request>[0]);
  };

  /** The user clicks through all windows. */
  async approveAll(): Promise<void> {
    for (const window of this.windows.slice()) await window.approve();
  }

  private async open(method: string, work: () => Promise<Hex>): Promise<Hex> {
    if (this.approvesAll) return work();
    return new Promise((resolve, reject) => {
      const close = () => this.windows.splice(this.windows.indexOf(window), 1);
      const window: WalletWindow = {
        method,
        approve: async () => {
          close();
          await work().then(resolve, reject);
        },
        refuse: () => {
          close();
          reject(Object.assign(new Error('User rejected the request.'), { code: 4001 }));
        },
      };
      this.windows.push(window);
    });
  }

  private async send({ to, data, value }: Call): Promise<Hex> {
    const work = async () =>
      this.client.sendTransaction({ to, value: BigInt(value ?? 0), ...(data === undefined ? {} : { data }) });
    const sent = this.sending.then(work, work);
    this.sending = sent;
    return sent;
  }
}
