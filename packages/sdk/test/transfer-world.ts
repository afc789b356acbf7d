import { depositCall, type ConfigResponse, type FeeQuoteResponse } from '@causeway/protocol';
import { depositEventAbi } from '@causeway/protocol/abi';
import {
  encodeAbiParameters,
  encodeEventTopics,
  numberToHex,
  padHex,
  parseAbiParameters,
  parseEther,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { connectBridge, deposit, resume } from '../src/index.js';
import type { Progress, ResumeOptions, TransferRecord, Wallet } from '../src/index.js';
import { makeAnswer, makeQuote } from './api-server.js';

export const CONFIG = makeAnswer<ConfigResponse>('getConfig');
export const USER = privateKeyToAccount(padHex('0x7', { size: 32 }));
export const RECIPIENT: Address = '0x811085f5b5d1b29598e73ca51de3d712f5d3103a';
const AMOUNT = '0.5';

/** A transaction of the user. All but foreign ones deposit the same amount of the same asset to the same recipient. */
interface Transaction {
  readonly hash: Hex;
  readonly nonce: number;
  readonly status: 'mined' | 'reverted' | 'foreign';
  /** The last call that the wallet was asked to send; another one in foreign transactions. */
  readonly call: { readonly to: Address; readonly data: Hex; readonly value: bigint };
}

/** Chain, wallet, API and store of one user in memory. Blocks come with transactions. */
export class TransferWorld {
  readonly mined: Transaction[] = [];
  readonly saved: TransferRecord[] = [];
  readonly asked: string[] = [];
  readonly progress: Progress[] = [];
  /** Answers in place of those of node and wallet, by method. */
  readonly answers: Record<string, (params: readonly unknown[]) => unknown> = {};
  /** Answers of the API, by path. */
  readonly api: Record<string, object> = { 'bridge/config': CONFIG };
  send = async (nonce: number): Promise<Hex> => this.mine(nonce);
  sign: Wallet['signTypedData'] = async (data) => USER.signTypedData(data);
  keepsNonce = true;
  readonly account = USER.address;
  private transactions = 0;
  private call: Transaction['call'] | undefined;
  /** Fields of all quotes. */
  quote: Partial<FeeQuoteResponse> = {};
  token: Address = zeroAddress;
  units = parseEther(AMOUNT);

  readonly bridge = connectBridge({
    apiUrl: 'http://bridge.example/api/v1',
    fetch: async (input) => {
      const { pathname, searchParams } = new URL(input as string);
      const quote = { ...makeQuote(Object.fromEntries(searchParams)), ...this.quote };
      return new Response(JSON.stringify(this.api[pathname.replace('/api/v1/', '')] ?? quote));
    },
  });
  readonly store = {
    save: (record: TransferRecord) => void this.saved.push(record),
    load: (id: string) => this.saved.findLast((record) => record.id === id) ?? null,
  };

  private readonly options = {
    store: this.store,
    pollMs: 1,
    onProgress: (progress: Progress) => void this.progress.push(progress),
  };

  get record(): TransferRecord {
    const record = this.saved.at(-1);
    if (record === undefined) throw new Error('No record');
    return record;
  }

  /** The deposits on the chain. */
  get deposits(): readonly Transaction[] {
    return this.mined.filter(({ status }) => status === 'mined');
  }

  mine(nonce: number, status: Transaction['status'] = 'mined'): Hex {
    this.transactions += 1;
    const hash = padHex(numberToHex(this.transactions), { size: 32 });
    const terms = { bridgeLock: CONFIG.ethereum.bridgeLock, token: this.token, amount: this.units };
    const own = this.call ?? depositCall({ ...terms, recipient: RECIPIENT });
    const call = status === 'foreign' ? { to: USER.address, data: '0x' as const, value: 0n } : own;
    this.mined.push({ hash, nonce, status, call });
    return hash;
  }

  connectWallet(): Wallet {
    return {
      account: USER.address,
      keepsNonce: this.keepsNonce,
      sendTransaction: async ({ nonce, ...call }) => {
        this.asked.push('eth_sendTransaction');
        this.call = call;
        return this.send(nonce ?? this.mined.length);
      },
      signTypedData: async (data) => this.sign(data),
      request: async (method, params = []) => {
        this.asked.push(method);
        return (this.answers[method] ?? ((each) => this.answer(method, each)))(params);
      },
    };
  }

  async deposit(asset = 'ETH', signal?: AbortSignal): Promise<unknown> {
    const terms = { asset, amount: AMOUNT, recipient: RECIPIENT };
    const { ethereum } = CONFIG;
    this.token = ethereum.tokens.find(({ token }) => token === asset)?.address ?? zeroAddress;
    if (asset === 'USDC') this.units = 500_000n;
    const options = { ...this.options, ...(signal === undefined ? {} : { signal }) };
    return deposit(this.bridge, this.connectWallet(), terms, options).catch((error: unknown) => error);
  }

  async resume(options: ResumeOptions = {}, record: unknown = this.record): Promise<unknown> {
    const own = { ...this.options, ...options };
    return resume(this.bridge, this.connectWallet(), record, own).catch((error: unknown) => error);
  }

  answer(method: string, [first, second]: readonly unknown[]): unknown {
    const found = this.mined.find(({ hash }) => hash === first);
    switch (method) {
      case 'eth_chainId':
        return numberToHex(CONFIG.ethereum.chainId);
      case 'eth_accounts':
        return [USER.address];
      case 'eth_getBlockByNumber':
        return this.makeBlock(first);
      case 'eth_getBalance':
        return numberToHex(parseEther('9'));
      case 'eth_getCode':
        return '0x';
      case 'eth_estimateGas':
        return '0x5208';
      case 'eth_call':
        return padHex('0x', { size: 32 });
      case 'eth_getTransactionCount':
        return numberToHex(String(second).startsWith('0x') ? Number(second) : this.mined.length);
      case 'eth_getTransactionByHash':
        return found === undefined ? null : this.makeTransaction(found);
      case 'eth_getTransactionReceipt':
        return found === undefined ? null : this.makeReceipt(found);
      case 'eth_getLogs':
        return this.deposits.flatMap((each) => this.makeReceipt(each).logs);
      default:
        throw new Error(`${method} is not available`);
    }
  }

  /** Each transaction has its own block. */
  private makeBlock(tag: unknown) {
    const number = tag === 'latest' ? this.mined.length : Number(tag);
    const transactions = this.mined.slice(number - 1, number).map((each) => this.makeTransaction(each));
    return { number: numberToHex(number), timestamp: '0x10', transactions };
  }

  makeTransaction({ hash, nonce, call: { to, data: input, value } }: Transaction) {
    return { hash, from: USER.address, nonce: numberToHex(nonce), to, input, value: numberToHex(value) };
  }

  makeReceipt({ hash, status }: Transaction) {
    const data = encodeAbiParameters(parseAbiParameters('address, uint256, uint256'), [RECIPIENT, this.units, 0n]);
    const args = { depositId: hash, token: this.token, sender: USER.address };
    const topics = encodeEventTopics({ abi: depositEventAbi, args });
    const log = { address: CONFIG.ethereum.bridgeLock, topics, data, transactionHash: hash };
    return {
      transactionHash: hash,
      blockNumber: hash,
      status: status === 'reverted' ? '0x0' : '0x1',
      logs: status === 'mined' ? [log] : [],
    };
  }
}

/** The API offers these signatures for deposits of USDC. Without one it takes an approval. */
export function offerSignatures(world: TransferWorld, standards: readonly string[], nonce = '0'): void {
  const { chainId, tokens } = CONFIG.ethereum;
  const verifyingContract = tokens.find(({ token }) => token === 'USDC')?.address;
  const domain = { name: 'USDC', version: '2', chainId, verifyingContract };
  const call = { chainId, from: RECIPIENT, to: RECIPIENT, data: '0x', value: '0', gas: '0' };
  const typedData = { domain, primaryType: 'ReceiveWithAuthorization', message: { nonce } };
  const bySignature = standards.map((standard) => ({ standard, typedData, call }));
  const quote = makeQuote({});
  world.api['bridge/transactions'] = { quote, warnings: [], calls: [], bySignature, typedData: null };
}
