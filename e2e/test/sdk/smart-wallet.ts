import {
  createWalletClient,
  defineChain,
  http,
  numberToHex,
  parseAbi,
  publicActions,
  type Address,
  type Hex,
  type PrivateKeyAccount,
  type TransactionReceipt,
} from 'viem';

const accountAbi = parseAbi(['function execute(address to, uint256 value, bytes data)']);

interface Batch {
  readonly id: string;
  readonly calls: readonly { readonly to: Address; readonly data: Hex; readonly value: Hex }[];
}

/** The provider of a smart account owned by a key. It sends batches (EIP-5792), once for each id. */
export class SmartWallet {
  private readonly batches = new Map<string, TransactionReceipt[]>();
  private readonly client;

  constructor(
    readonly address: Address,
    owner: PrivateKeyAccount,
    private readonly chainId: number,
    url: string,
  ) {
    const nativeCurrency = { name: 'coin', symbol: 'COIN', decimals: 18 };
    const chain = defineChain({ id: chainId, name: 'test', nativeCurrency, rpcUrls: { default: { http: [url] } } });
    this.client = createWalletClient({ account: owner, chain, transport: http(url) }).extend(publicActions);
  }

  /** Sent batches. */
  get sent(): number {
    return this.batches.size;
  }

  readonly request = async ({ method, params = [] }: { method: string; params?: unknown }): Promise<unknown> => {
    const [first] = params as unknown[];
    if (method === 'eth_accounts') return [this.address];
    if (method === 'wallet_getCapabilities')
      return { [numberToHex(this.chainId)]: { atomic: { status: 'supported' } } };
    if (method === 'wallet_sendCalls') return this.sendCalls(first as Batch);
    if (method === 'wallet_getCallsStatus') return this.readStatus(first as string);
    return this.client.request({ method, params } as Parameters<typeof this.client.request>[0]);
  };

  private async sendCalls({ id, calls }: Batch): Promise<{ id: string }> {
    if (this.batches.has(id)) throw Object.assign(new Error('Duplicate ID'), { code: 5720 });
    const receipts: TransactionReceipt[] = [];
    this.batches.set(id, receipts);
    for (const { to, data, value } of calls) {
      const args = [to, BigInt(value), data] as const;
      const call = { address: this.address, abi: accountAbi, functionName: 'execute', args } as const;
      const hash = await this.client.writeContract(call);
      receipts.push(await this.client.waitForTransactionReceipt({ hash }));
    }
    return { id };
  }

  private readStatus(id: string): unknown {
    const receipts = this.batches.get(id);
    if (receipts === undefined) throw Object.assign(new Error('Unknown bundle ID'), { code: 5730 });
    return {
      status: 200,
      receipts: receipts.map(({ logs, transactionHash }) => ({ status: '0x1', logs, transactionHash })),
    };
  }
}
