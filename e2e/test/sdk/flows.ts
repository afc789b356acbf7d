import { expect } from '@jest/globals';
import { getToken, type BridgeOperationResponse } from '@causeway/protocol';
import { bridgedTokenAbi } from '@causeway/protocol/abi';
import {
  burn,
  connectBridge,
  deposit,
  watchOperation,
  withdrawXcn,
  withdrawXcnByIntent,
  type Bridge,
  type SentTransfer,
  type TransferOptions,
  type TransferTerms,
  type Wallet,
} from '@causeway/sdk';
import { fromEthers } from '@causeway/sdk/ethers';
import { JsonRpcProvider, Wallet as EthersWallet } from 'ethers';
import { parseEther, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { TestEnvironment } from '../temporary-environment.js';
import { fundUsers, type Funds, type TestUser } from './users.js';

/** Atomic units of one USDC. */
const USDC = 10n ** 6n;
/** A short interval, since blocks come every second. */
const OPTIONS: TransferOptions = { pollMs: 200 };

/** A flow of the package with minimal terms. */
export interface Flow {
  readonly name: string;
  readonly side: 'ethereum' | 'partner';
  readonly begin: (
    bridge: Bridge,
    wallet: Wallet,
    terms: TransferTerms,
    options: TransferOptions,
  ) => Promise<SentTransfer>;
  readonly asset: string;
  readonly amount: string;
  /** Maximum number of interactions: with its store, the wallet, or the API by POST. */
  readonly dealings: number;
  /** Number of the interaction that sends. */
  readonly sending: number;
  /** How often it opens the wallet. */
  readonly windows: number;
}

export const FLOWS: readonly Flow[] = [
  {
    name: 'a deposit of ETH',
    side: 'ethereum',
    begin: deposit,
    asset: 'ETH',
    amount: '0.5',
    dealings: 6,
    sending: 3,
    windows: 1,
  },
  {
    name: 'a deposit of USDC',
    side: 'ethereum',
    begin: deposit,
    asset: 'USDC',
    amount: '25',
    dealings: 10,
    sending: 7,
    windows: 2,
  },
  {
    name: 'a deposit of XCN',
    side: 'ethereum',
    begin: deposit,
    asset: 'XCN',
    amount: '700',
    dealings: 10,
    sending: 7,
    windows: 2,
  },
  {
    name: 'a burn of USDC',
    side: 'partner',
    begin: burn,
    asset: 'USDC',
    amount: '50',
    dealings: 6,
    sending: 3,
    windows: 1,
  },
  {
    name: 'a withdrawal of XCN',
    side: 'partner',
    begin: withdrawXcn,
    asset: 'XCN',
    amount: '6000',
    dealings: 6,
    sending: 3,
    windows: 1,
  },
  {
    name: 'a withdrawal of XCN by an intent',
    side: 'partner',
    begin: withdrawXcnByIntent,
    asset: 'XCN',
    amount: '6100',
    dealings: 13,
    sending: 8,
    windows: 2,
  },
];

/** Funds for a flow: coins for gas on both chains, and its asset. */
export function chooseFunds({ side, asset, name }: Flow): Funds {
  const amounts = {
    ETH: parseEther('0.6'),
    USDC: 60n * USDC,
    XCN: parseEther(name.includes('deposit') ? '800' : '6200'),
  };
  const amount = amounts[asset as keyof typeof amounts];
  if (side === 'ethereum') return { ethereum: { ETH: parseEther('0.1'), [asset]: amount }, partner: {} };
  return { ethereum: {}, partner: { XCN: parseEther('50'), [asset]: amount } };
}

/** Returns a new address, whose only funds come from one transfer. */
export function pickRecipient(): Address {
  return privateKeyToAddress(generatePrivateKey());
}

/** Follows an operation to its last state. */
export async function followToEnd(bridge: Bridge, sent: SentTransfer): Promise<BridgeOperationResponse> {
  const { originTxHash, intentId } = sent;
  let last: BridgeOperationResponse | undefined;
  for await (const operation of watchOperation(bridge, intentId === undefined ? { originTxHash } : { intentId }))
    last = operation;
  if (last === undefined) throw new Error('The watch ended without a state');
  return last;
}

/** Balance of an asset on a side. */
export async function readBalance(
  { book, ...environment }: TestEnvironment,
  side: 'ethereum' | 'partner',
  asset: string,
  account: Address,
): Promise<bigint> {
  const { client } = environment[side];
  const token = getToken(book, side, asset);
  if (BigInt(token) === 0n) return client.getBalance({ address: account });
  return client.readContract({ address: token, abi: bridgedTokenAbi, functionName: 'balanceOf', args: [account] });
}

/** A user's flow and its outcome. */
interface Ended {
  readonly name: string;
  readonly status: string;
  readonly isExact: boolean;
}

/** Makes every flow with an ethers signer, from terms to delivery. `describeKills` has keys and browser wallets. */
export async function completeWithEthers(environment: TestEnvironment): Promise<void> {
  const bridge = connectBridge({ apiUrl: environment.stack.apiUrl, environment: 'local' });
  const users = await fundUsers(environment, FLOWS.map(chooseFunds));
  const run = async ({ privateKey }: TestUser, index: number): Promise<Ended> => {
    const flow = FLOWS[index];
    if (flow === undefined) throw new Error(`No flow ${index}`);
    const { name, side, begin, asset, amount } = flow;
    const { rpcUrl } = environment.stack[side];
    const wallet = await fromEthers(new EthersWallet(privateKey, new JsonRpcProvider(rpcUrl)));
    const recipient = pickRecipient();
    const sent = await begin(bridge, wallet, { asset, amount, recipient }, OPTIONS);
    const { status, outputAmount } = await followToEnd(bridge, sent);
    const paid = await readBalance(environment, side === 'ethereum' ? 'partner' : 'ethereum', asset, recipient);
    return { name, status, isExact: paid === BigInt(outputAmount) };
  };
  const ends = await Promise.all(users.map(run));
  expect(ends).toEqual(FLOWS.map(({ name }) => ({ name, status: 'COMPLETED', isExact: true })));
}
