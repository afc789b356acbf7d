import { expect } from '@jest/globals';
import type { ConfigResponse, LimitsResponse } from '@causeway/protocol';
import { parseEther, toHex, type Address } from 'viem';
import {
  checkTransfer,
  type BridgeOptions,
  type CheckReport,
  type CheckTerms,
  type PlannedTransfer,
  type Wallet,
} from '../src/index.js';
import { makeAnswer, makeBook, makeQuote, refuse, startApi, type Answer, type ApiServer } from './api-server.js';

export const ACCOUNT: Address = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65';
export const RECIPIENT: Address = '0x811085f5b5d1b29598e73ca51de3d712f5d3103a';
export const CONFIG = makeAnswer<ConfigResponse>('getConfig');
/** A connection that trusts the API with nothing. */
export const OWN = { addressBook: makeBook(CONFIG), partnerRpcUrl: 'http://own.example' };
export const LIMITS = makeAnswer<LimitsResponse>('getLimits');
export const GWEI = 10n ** 9n;
export const WHEN = '2027-01-15T08:00:01.000Z';

/** The node and the account of a wallet. */
interface Node {
  readonly chainId?: number;
  readonly balance?: bigint;
  readonly code?: string;
  /** Answers in place of those of a node. */
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly paysInUnits?: boolean;
}

/** A wallet with a key, on a node that answers from memory. `asked` are its requests. */
export function makeWallet(node: Node = {}) {
  const {
    chainId = CONFIG.ethereum.chainId,
    balance = parseEther('10'),
    code,
    answers = {},
    paysInUnits = false,
  } = node;
  const asked: string[] = [];
  const refuseToSign = async () => Promise.reject(new Error('a check signs nothing'));
  const results: Readonly<Record<string, unknown>> = {
    eth_chainId: toHex(chainId),
    eth_getBlockByNumber: { number: '0x64', timestamp: '0x65a4', baseFeePerGas: toHex(GWEI), hash: '0x1' },
    eth_getBalance: toHex(balance),
    eth_getCode: code,
    ...answers,
  };
  const wallet: Wallet = {
    account: ACCOUNT,
    keepsNonce: code === undefined,
    paysInUnits,
    request: async (method, params = []) => {
      asked.push(`${method} ${JSON.stringify(params)}`);
      if (!(method in results)) throw new Error(`${method} is not available`);
      return results[method];
    },
    sendTransaction: refuseToSign,
    signTypedData: refuseToSign,
  };
  return { wallet, asked };
}

export const DEPOSIT: PlannedTransfer = { kind: 'DEPOSIT', asset: 'ETH', amount: '2.5', recipient: RECIPIENT };
export const BURN: PlannedTransfer = { ...DEPOSIT, kind: 'BURN' };
export const WITHDRAW_XCN: PlannedTransfer = {
  kind: 'WITHDRAW_NATIVE',
  asset: 'XCN',
  amount: '6000',
  recipient: RECIPIENT,
};
export const onPartner = { chainId: CONFIG.partner.chainId, balance: parseEther('10000') };
export const warning = (code: string, field: string) => ({ code, field, message: `${field} is special.` });
/** The API quotes nothing outside the bounds: it answers with the words of the contract's check. */
export const refusal = (error: string, message: string) => refuse(400, { error, message });
export const aboveMaximum = refusal('VALIDATION_ERROR', 'amount is above the maximum of 1000 ETH');

/** Differences from a transfer without a problem. */
export interface Scenario {
  readonly transfer?: PlannedTransfer;
  readonly quote?: object | Answer;
  readonly config?: object;
  readonly limits?: object;
  readonly health?: object;
  readonly node?: Node;
  readonly terms?: CheckTerms;
  readonly bridge?: Partial<BridgeOptions>;
}

/** A report, and the requests for it. */
interface Checked {
  readonly report: CheckReport;
  /** By the wallet's node. */
  readonly asked: readonly string[];
  /** By the API. */
  readonly seen: ApiServer['seen'];
}

/** Checks a transfer of a bridge and a wallet that are as the scenario says. */
export async function check(scenario: Scenario): Promise<Checked> {
  const { transfer = DEPOSIT, quote = {}, config = {}, limits = {}, health = {}, node = {}, terms, bridge } = scenario;
  const routes: Readonly<Record<string, Answer>> = {
    'bridge/config': { ...CONFIG, ...config },
    'bridge/fee-quote':
      typeof quote === 'function'
        ? quote
        : (response, { query }) => void response.end(JSON.stringify(makeQuote(query, quote))),
    'bridge/limits': { ...LIMITS, ...limits },
    health: refuse(503, makeAnswer('getHealth', { status: 'unhealthy', ...health })),
  };
  const api = await startApi(routes, bridge);
  const { wallet, asked } = makeWallet(node);
  try {
    return { report: await checkTransfer(api.bridge, wallet, transfer, terms), asked, seen: api.seen };
  } finally {
    await api.close();
  }
}

/** The fields of a quote that cannot be delivered now. */
export const later = (undeliverableReason: string, deliverableAt: string | null = null, availableAmount = '0') => ({
  deliverable: false,
  undeliverableReason,
  deliverableAt,
  availableAmount,
});

/** Names of options and fields, which users of an app do not know. */
const IDENTIFIER = /[a-z][A-Z]|[A-Z]_[A-Z]|`|\(\)/;
/** Advice that names an argument but no action. */
const BARE_FIELD = /\b(correct|check|look at) (the )?(amount|asset|kind|recipient|sender|direction|account|id)\b/i;
/** A chain without its name. */
const BARE_CHAIN = /(?<!\()chain \d/;

/** Expects sentences that tell a user of a wallet page what to do. */
export function expectForUser(nextStep: string): void {
  expect(nextStep).toMatch(/^[A-Z].* .*\.$/);
  for (const refused of [IDENTIFIER, BARE_FIELD, BARE_CHAIN]) expect(nextStep).not.toMatch(refused);
}
