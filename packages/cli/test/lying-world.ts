import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  assetInfo,
  DEFAULT_FEE_POLICIES,
  formatAmount,
  intentDigest,
  intentDomain,
  parseAmount,
  quoteFee,
  type AddressBook,
  type ConfigResponse,
  type Direction,
} from '@causeway/protocol';
import { claimedEventAbi, depositEventAbi, relayerAbi, withdrawEventAbi } from '@causeway/protocol/abi';
import { connectBridge, fromProvider, type Bridge, type SentTransfer, type Wallet } from '@causeway/sdk';
import { readExampleAnswers } from '@causeway/test-kit';
import {
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  keccak256,
  numberToHex,
  padHex,
  parseAbiParameters,
  parseEther,
  parseTransaction,
  type Address,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { runProgram } from '../src/program.js';
import { FakeStreams } from './fake-streams.js';

const EXAMPLES = readExampleAnswers();
const example = (name: string): object => ({ ...EXAMPLES[name]?.response });

const CONFIG = example('getConfig') as ConfigResponse;
const RECIPIENT: Address = '0x811085f5b5d1b29598e73ca51de3d712f5d3103a';
/** The clock of the machine and of both chains. */
export const NOW = Date.parse('2027-01-15T08:00:00Z');
const KEY = padHex('0x7', { size: 32 });
const USER = privateKeyToAccount(KEY);
const RELAYER = CONFIG.relayerWalletAddress ?? '0x';
/** No transfer needs as many requests; one that makes more is waiting in vain. */
const MOST_REQUESTS = 60;
const RELAYER_CALL = encodeFunctionData({ abi: relayerAbi, functionName: 'relayer' });

const mapTokens = (side: 'ethereum' | 'partner') =>
  Object.fromEntries(CONFIG[side].tokens.map(({ token, address }) => [token, address]));
const coins = { ethereum: 'ETH', partner: 'XCN' } as const;
const describeSide = (side: 'ethereum' | 'partner') => {
  const { [coins[side]]: _, ...tokens } = mapTokens(side);
  return { chainId: CONFIG[side].chainId, sentinel: RECIPIENT, tokens, deployedAtBlock: 0 };
};
const BOOK = {
  environment: 'local',
  ethereum: { ...describeSide('ethereum'), bridgeLock: CONFIG.ethereum.bridgeLock },
  partner: { ...describeSide('partner'), bridgeMint: CONFIG.partner.bridgeMint, nativeUnit: '1' },
  relayer: RELAYER,
} as unknown as AddressBook;

/** A user's transfer: by the command with a key, or by an SDK function with a browser wallet. */
export interface Flow {
  readonly name: string;
  readonly side: 'ethereum' | 'partner';
  readonly asset: string;
  readonly amount: string;
  /** Arguments of the command. */
  readonly words?: readonly string[];
  readonly begin?: (bridge: Bridge, wallet: Wallet, terms: never, options: object) => Promise<SentTransfer>;
  /** Signature standards that the API offers for a deposit. */
  readonly standards?: readonly string[];
  readonly isBatch?: boolean;
}

/** A falsified field of an answer: always, or from the second answer on. */
export interface Lie {
  /** Such as `api bridge/config` or `node eth_call`. */
  readonly source: string;
  readonly path: readonly string[];
  readonly value: unknown;
  readonly since?: number;
  /** Whether all answers of the API with this value get the false one, so that they agree. */
  readonly isConsistent?: boolean;
}

/** What the user signed, without the fields that contracts check themselves. */
export interface Signed {
  readonly what: string;
  readonly gas?: bigint;
  readonly fee?: bigint;
  readonly nonce?: number;
}

/** How a transfer ended. */
export interface Outcome {
  readonly signed: readonly Signed[];
  readonly isComplete: boolean;
  /** The terms that the command shows: amount, fee, output and accounts. */
  readonly terms: unknown;
  /** The objects that the command printed. */
  readonly events: readonly { readonly event: string }[];
}

/** Returns the value at a path of an answer. */
export function readAt(answer: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((each, name) => Object(each)[name], answer);
}

function writeAt(answer: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const changed = writeAt(Object(answer)[name], rest, value);
  return Array.isArray(answer) ? answer.with(Number(name), changed) : { ...Object(answer), [name]: changed };
}

/** Both chains, the API and one user's wallet, in memory. Transactions are mined immediately. */
export class LyingWorld {
  /** The first answer of each kind. */
  readonly answers = new Map<string, unknown>();
  /** How often each kind was answered. */
  readonly counts = new Map<string, number>();
  private readonly signed: Signed[] = [];
  private readonly mined: Hex[] = [];
  private readonly controller = new AbortController();
  private requests = 0;
  private intentId: Hex = '0x';

  constructor(
    private readonly flow: Flow,
    private readonly lie?: Lie,
  ) {}

  async run(): Promise<Outcome> {
    const ended = await (this.flow.words === undefined ? this.runFunction() : this.runCommand());
    return { signed: this.signed, ...ended };
  }

  private async runCommand(): Promise<Omit<Outcome, 'signed'>> {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-lies-'));
    writeFileSync(join(folder, 'book.json'), JSON.stringify(BOOK));
    const { fetch } = globalThis;
    globalThis.fetch = this.fetch;
    try {
      const streams = new FakeStreams();
      const own = ['--recipient', RECIPIENT, '--address-book', join(folder, 'book.json'), '--records', folder];
      const env = {
        CAUSEWAY_API: 'http://bridge.example/api/v1',
        CAUSEWAY_ETHEREUM_RPC: 'http://ethereum.example',
        CAUSEWAY_PARTNER_RPC: 'http://partner.example',
        CAUSEWAY_PRIVATE_KEY: KEY,
      };
      const words = [...(this.flow.words ?? []), ...own, '--yes', '--json'];
      const code = await runProgram(words, { env, streams, signal: this.controller.signal });
      const lines = streams.output.text.split('\n').filter((line) => line !== '');
      const events = lines.map((line) => JSON.parse(line));
      const { quote, sender, recipient } = events.find(({ event }) => event === 'terms') ?? {};
      const { inputAmountFormatted, feeAmountFormatted, outputAmountFormatted } = quote ?? {};
      const terms = { sender, recipient, inputAmountFormatted, feeAmountFormatted, outputAmountFormatted };
      return { isComplete: code === 0, terms, events };
    } finally {
      globalThis.fetch = fetch;
      rmSync(folder, { recursive: true, force: true });
    }
  }

  private async runFunction(): Promise<Omit<Outcome, 'signed'>> {
    const { side, asset, amount, begin } = this.flow;
    const { fetch } = this;
    const options = { apiUrl: 'http://bridge.example/api/v1', partnerRpcUrl: 'http://partner.example', fetch };
    const bridge = connectBridge({ ...options, addressBook: BOOK });
    const request = async ({ method, params }: { method: string; params?: unknown }) =>
      this.askNode(side, method, (params ?? []) as never);
    const terms = { asset, amount, recipient: RECIPIENT, side } as never;
    const { signal } = this.controller;
    const sent = begin?.(bridge, fromProvider({ request }, USER.address), terms, { pollMs: 1, signal });
    const isComplete = (await sent?.catch(() => undefined)) !== undefined;
    return { isComplete, terms: undefined, events: [] };
  }

  private readonly fetch = async (input: unknown, init?: RequestInit): Promise<Response> => {
    const { host, pathname, searchParams } = new URL(input instanceof Request ? input.url : String(input));
    const body = JSON.parse((init?.body as string | undefined) ?? '{}');
    if (host === 'bridge.example') {
      const path = pathname.replace('/api/v1/', '');
      const answer = this.answer(`api ${path}`, this.askApi(path, Object.fromEntries(searchParams), body));
      return Response.json(answer ?? null);
    }
    const { id, method, params = [] } = body;
    try {
      const result = await this.askNode(host === 'ethereum.example' ? 'ethereum' : 'partner', method, params);
      return Response.json({ jsonrpc: '2.0', id, result: result ?? null });
    } catch (error) {
      return Response.json({ jsonrpc: '2.0', id, error: { code: -32_601, message: (error as Error).message } });
    }
  };

  private answer(source: string, answer: unknown): unknown {
    this.requests += 1;
    if (this.requests > MOST_REQUESTS) this.controller.abort(new Error('it still waits'));
    const count = (this.counts.get(source) ?? 0) + 1;
    this.counts.set(source, count);
    if (!this.answers.has(source)) this.answers.set(source, answer);
    const { lie } = this;
    if (lie === undefined || count <= (lie.since ?? 0)) return answer;
    if (lie.isConsistent !== true) return lie.source === source ? writeAt(answer, lie.path, lie.value) : answer;
    if (!source.startsWith('api')) return answer;
    const [told, value] = lie.value as [string, string];
    return JSON.parse(JSON.stringify(answer).replaceAll(new RegExp(told, 'gi'), value));
  }

  private askApi(path: string, query: Readonly<Record<string, string>>, body: Readonly<Record<string, never>>): object {
    const { flow } = this;
    switch (path) {
      case 'bridge/config':
        return CONFIG;
      case 'bridge/fee-quote':
        return makeQuote(query['token'] ?? '', query['amount'] ?? '', query['direction'] as Direction);
      case 'bridge/limits':
        return example('getLimits');
      case 'bridge/transactions': {
        const { bySignature = [], ...rest } = example('writeTransactions') as { bySignature?: { standard: string }[] };
        return { ...rest, bySignature: bySignature.filter(({ standard }) => flow.standards?.includes(standard)) };
      }
      case 'bridge/xcn-withdraw-intent': {
        const { recipientAddress: recipient, amountAtomic, deadline, nonce, signature } = body;
        const terms = { sender: USER.address, recipient, amount: BigInt(amountAtomic ?? 0), nonce: String(nonce) };
        const domain = intentDomain({ chainId: CONFIG.partner.chainId, bridgeMint: CONFIG.partner.bridgeMint });
        const intent = { ...terms, deadline: BigInt(deadline ?? 0) } as never;
        this.intentId = intentDigest(domain, intent);
        // A browser wallet shows what it signs; with a key, the bridge sees the transaction first.
        if (flow.words !== undefined) this.signed.push({ what: `intent ${this.intentId} ${signature}` });
        const expiresAt = new Date(NOW + 1_800_000).toISOString();
        const fee = { amount: String(10n ** 21n), formatted: '1000', bps: 25 };
        return { ...example('registerIntent'), intentId: this.intentId, amountAtomic, expiresAt, fee };
      }
      case 'bridge/xcn-withdraw-intent/bind-origin':
        return { ...example('bindOrigin'), intentId: this.intentId };
      case 'bridge/status':
        return {
          ...example('getStatus'),
          status: 'PENDING_ORIGIN_TX',
          originTxHash: null,
          relayerWalletAddress: RELAYER,
        };
      default:
        return { error: 'NOT_FOUND', message: path };
    }
  }

  private async askNode(side: 'ethereum' | 'partner', method: string, params: readonly never[]): Promise<unknown> {
    const result = await this.askHonestNode(side, method, params);
    return this.answer(`node ${method}`, result);
  }

  private async askHonestNode(side: 'ethereum' | 'partner', method: string, params: readonly never[]) {
    const { chainId } = CONFIG[side];
    const [first, second] = params as unknown as [never, never];
    switch (method) {
      case 'eth_chainId':
        return numberToHex(chainId);
      case 'eth_accounts':
        return [USER.address];
      case 'eth_getBlockByNumber':
        return { number: '0x64', timestamp: numberToHex(NOW / 1_000), baseFeePerGas: '0x3b9aca00', transactions: [] };
      case 'eth_getBalance':
        return numberToHex(parseEther('30000'));
      case 'eth_getCode':
        return '0x';
      case 'eth_estimateGas':
        return '0xa410';
      case 'eth_maxPriorityFeePerGas':
        return '0x3b9aca00';
      case 'eth_getTransactionCount':
        return numberToHex(this.mined.length);
      case 'eth_fillTransaction': {
        // Only the partner chain's nodes have this method.
        if (side === 'ethereum') throw new Error('eth_fillTransaction is not available');
        const filled = { gas: '0xa410', nonce: '0x0', maxFeePerGas: '0xb2d05e00', maxPriorityFeePerGas: '0x3b9aca00' };
        return {
          raw: '0x',
          tx: { ...Object(first), ...filled, chainId: numberToHex(chainId), type: '0x2', input: '0x' },
        };
      }
      case 'eth_call':
        return this.call(Object(first).data);
      case 'eth_sendRawTransaction': {
        const { to, data, value = 0n, gas = 0n, maxFeePerGas, gasPrice, nonce = 0, ...rest } = parseTransaction(first);
        const fee = gas * (maxFeePerGas ?? gasPrice ?? 0n);
        this.signed.push({ what: this.describeCall({ to, data, value }, rest.chainId), gas, fee, nonce });
        return this.mine(keccak256(first));
      }
      case 'eth_sendTransaction':
        this.signed.push({ what: this.describeCall(first, chainId) });
        return this.mine();
      case 'wallet_sendCalls': {
        const { calls, chainId: chosen, id } = first as { calls: never[]; chainId: Hex; id: string };
        for (const call of calls) this.signed.push({ what: this.describeCall(call, Number(chosen)) });
        this.mine();
        return { id };
      }
      case 'eth_signTypedData_v4': {
        const { domain, types, primaryType, message } = JSON.parse(second);
        // The token checks its own name, version and nonce.
        const { name: _, version: __, ...place } = domain;
        const { nonce, ...rest } = message;
        const terms = primaryType === 'Permit' ? rest : { ...rest, nonce };
        this.signed.push({ what: JSON.stringify({ place, types, primaryType, terms }) });
        return USER.signTypedData({ domain, types, primaryType, message });
      }
      case 'wallet_getCapabilities':
        return { [numberToHex(chainId)]: { atomic: { status: this.flow.isBatch === true ? 'supported' : 'no' } } };
      case 'wallet_getCallsStatus':
        return { status: 200, receipts: this.mined.map((hash) => this.makeReceipt(hash)) };
      case 'eth_getTransactionReceipt':
        return this.mined.includes(first) ? this.makeReceipt(first) : null;
      case 'eth_getTransactionByHash':
        return this.mined.includes(first) ? { from: USER.address, to: RELAYER, nonce: '0x0', value: '0x0' } : null;
      case 'eth_getLogs':
        return [];
      default:
        throw new Error(`${method} is not available`);
    }
  }

  /** Answers reads of contracts: the relayer of BridgeMint, a credit, or an allowance. */
  private call(data: Hex): Hex {
    if (data === RELAYER_CALL) return padHex(RELAYER, { size: 32 });
    const isCredit = this.flow.name.startsWith('claim');
    return numberToHex(isCredit || this.mined.length > 0 ? parseEther('800') : 0n, { size: 32 });
  }

  /** Describes a call without its signature, which the token checks. */
  private describeCall(
    { to, data = '0x', value = 0n }: { to?: unknown; data?: Hex | undefined; value?: unknown },
    chainId = 0,
  ) {
    const isSigned = data.length > 2 + 8 + 64 * 5;
    const words = isSigned ? data.slice(0, -3 * 64) : data;
    return JSON.stringify([chainId, String(to).toLowerCase(), String(BigInt(value as Hex)), words.toLowerCase()]);
  }

  private mine(hash: Hex = padHex(numberToHex(this.mined.length + 1), { size: 32 })): Hex {
    this.mined.push(hash);
    return hash;
  }

  private makeReceipt(hash: Hex) {
    const { side, asset, amount, name } = this.flow;
    const contract = side === 'ethereum' ? CONFIG.ethereum.bridgeLock : CONFIG.partner.bridgeMint;
    const token = mapTokens(side)[asset] ?? '0x';
    const units = parseAmount(asset, amount);
    const id = { token, sender: USER.address };
    const [topics, data] = name.startsWith('claim')
      ? [
          encodeEventTopics({ abi: claimedEventAbi, args: { token, account: USER.address } }),
          encodeAbiParameters(parseAbiParameters('address, uint256'), [RECIPIENT, units]),
        ]
      : side === 'ethereum'
        ? [
            encodeEventTopics({ abi: depositEventAbi, args: { ...id, depositId: hash } }),
            encodeAbiParameters(parseAbiParameters('address, uint256, uint256'), [RECIPIENT, units, 0n]),
          ]
        : [
            encodeEventTopics({ abi: withdrawEventAbi, args: { ...id, withdrawId: hash } }),
            encodeAbiParameters(parseAbiParameters('address, uint256, uint256, uint256'), [RECIPIENT, units, 0n, 0n]),
          ];
    const log = { address: contract, topics, data, transactionHash: hash };
    return { transactionHash: hash, blockNumber: '0x10', status: '0x1', logs: [log] };
  }
}

export function makeQuote(token: string, amount: string, direction: Direction, changes: object = {}): object {
  const terms = { ...DEFAULT_FEE_POLICIES[token as 'ETH'], maxAmount: 10n ** 30n };
  const input = parseAmount(token, amount);
  const { fee, outputAmount, bps: feeBps } = quoteFee(token, terms, input, direction);
  const figures = Object.entries({ inputAmount: input, feeAmount: fee, outputAmount, ...changes });
  const texts = figures.flatMap(([name, units]) => [
    [name, String(units)],
    [`${name}Formatted`, formatAmount(token, units)],
  ]);
  const { granularity } = assetInfo(token);
  const bounds = { minimumAmount: String(granularity), warnings: [] };
  return { ...example('getFeeQuote'), ...bounds, token, direction, feeBps, ...Object.fromEntries(texts) };
}
