import { lower } from '@causeway/chain';
import { assetInfo, getToken, listAssets } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { AttestItem } from '@causeway/protocol/attest';
import { BaseError, decodeErrorResult, decodeFunctionResult, formatUnits, type Address, type Hex } from 'viem';
import { revertEthereum, type TestEnvironment } from '../temporary-environment.js';
import { COIN, getDomain, toCall } from './consent.js';
import type { Call, Side } from './transactions.js';

const ABI = [...bridgeLockAbi, ...bridgeMintAbi] as const;

/** Calls a payment without sending it. Returns why it pays nothing; null when it pays. */
export async function findRefusal(environment: TestEnvironment, side: Side, call: Call): Promise<string | null> {
  const account = environment.accounts.relayer.address;
  try {
    const { data = '0x' } = await environment[side].client.call({ account, ...call });
    if (data === '0x') return null;
    const functionName = side === 'ethereum' ? 'releaseMany' : 'mintMany';
    return decodeFunctionResult({ abi: ABI, functionName, data }) === 0n ? 'Skipped' : null;
  } catch (error) {
    const data = error instanceof BaseError ? findData(error) : undefined;
    if (data === undefined) throw error;
    return data === '0x' ? 'reverted' : decodeErrorResult({ abi: ABI, data }).errorName;
  }
}

/** The data with which a call reverted. */
function findData(error: BaseError): Hex | undefined {
  const isRaw = (one: unknown) => typeof (one as { data?: unknown }).data === 'string';
  return (error.walk(isRaw) as { data?: Hex } | null)?.data;
}

/** The terms with which a contract pays an item, with the signature of an intent. */
export function toTerms(item: AttestItem): string {
  const terms = { ...toCall([item]), ...(item.kind === 'INTENT' ? item.intent : {}) };
  return JSON.stringify(terms, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}

/** Why a watchtower cannot know that a paid item is forged; null when it can. */
export function findExcuse(item: AttestItem, honest: AttestItem): string | null {
  if (item.kind !== 'REFUND' || honest.kind !== 'REFUND') return null;
  if (item.token === COIN) return "pays the relayer wallet's own coin";
  const isSame = toTerms({ ...item, recipient: honest.recipient }) === toTerms(honest);
  return isSame ? 'pays a refund to an account that operators can choose, off the chains' : null;
}

/** What leaves the bridge with an item. */
export interface Outflow {
  readonly symbol: string;
  readonly token: Address;
  /** With the fee. */
  readonly amount: bigint;
}

export function toOutflow(item: AttestItem, side: Side, { book }: TestEnvironment): Outflow {
  if (item.kind === 'INTENT') return { symbol: 'XCN', token: getToken(book, side, 'XCN'), amount: item.intent.amount };
  const { token, amount } = item.kind === 'REFUND' ? item : item.payment;
  const symbol = listAssets().find((one) => lower(getToken(book, side, one)) === lower(token)) ?? token;
  return { symbol, token, amount: item.kind === 'RELEASE' ? amount + item.payment.fee : amount };
}

/** Saves both chains. The result restores them. */
export async function snapshot(environment: TestEnvironment): Promise<() => Promise<void>> {
  const request = async (side: Side, method: string, params: readonly unknown[] = []): Promise<Hex> =>
    environment[side].client.request({ method, params } as never);
  const ethereum = await request('ethereum', 'evm_snapshot');
  const partner = await request('partner', 'evm_snapshot');
  return async () => {
    await revertEthereum(environment, ethereum);
    await request('partner', 'evm_revert', [partner]);
  };
}

/** The block, from a block on, that paused both directions of a contract; null while it runs. */
export async function findPause(environment: TestEnvironment, side: Side, fromBlock: bigint): Promise<bigint | null> {
  const lock = { address: getDomain(environment.book, side).contract, abi: bridgeLockAbi } as const;
  const changes = await environment[side].client.getContractEvents({ ...lock, eventName: 'PauseSet', fromBlock });
  const pause = changes.find(({ args }) => args.deliveriesPaused === true && args.beginningsPausedUntil !== 0n);
  return pause?.blockNumber ?? null;
}

/** The number of a chain's newest block at a time in Unix seconds. */
export async function findBlockAt(environment: TestEnvironment, side: Side, seconds: bigint): Promise<bigint> {
  const { client } = environment[side];
  let block = await client.getBlock();
  while (block.timestamp > seconds) block = await client.getBlock({ blockNumber: block.number - 1n });
  return block.number;
}

/** An amount for people. */
export const format = (amount: bigint, symbol: string) =>
  `${formatUnits(amount, assetInfo(symbol).decimals)} ${symbol}`;

/** Prints rows as a table with columns of equal width. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join(' | ')
      .trimEnd(),
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}
