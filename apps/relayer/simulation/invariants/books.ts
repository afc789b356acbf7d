import { assetInfo, getCoin, getToken, listAssets, type Asset, type Side } from '@causeway/protocol';
import { bridgedTokenAbi } from '@causeway/protocol/abi';
import { decodeFunctionResult, encodeFunctionData } from 'viem';
import { BOOK, COIN_OF_EACH } from '../bridge.ts';
import { assertSame, ViolationError } from '../outcome.ts';
import type { Simulation } from '../environment/simulation.ts';
import { isDust, type Arrival } from './arrivals.ts';
import { shownRefunds, sumSpent } from './departures.ts';

const SIDES = ['ethereum', 'partner'] as const;
const wallet = BOOK.relayer;

/**
 * The books contain exactly what arrived at the wallet.
 *
 * @throws ViolationError
 */
export function checkBooks(simulation: Simulation, arrivals: readonly Arrival[]): void {
  const { database } = simulation;
  const formatLine = (arrival: Omit<Arrival, 'side' | 'block' | 'isVisible'> & { readonly chainId: number }) =>
    [arrival.chainId, arrival.txHash, arrival.asset, arrival.callIndex, arrival.payer, arrival.amount].join(' ');
  const seen = arrivals.filter((arrival) => arrival.isVisible && !isDust(arrival));
  assertSame(
    'every arrival is in the books',
    seen.map((arrival) => formatLine({ ...arrival, chainId: BOOK[arrival.side].chainId })),
    database.transfers.map(formatLine),
  );
  for (const { explanation, blockNumber } of database.differences)
    if (explanation === null) throw new ViolationError('every difference is explained', `block ${blockNumber}`);
  for (const side of SIDES) checkUnseen(simulation, side, arrivals);
}

/** Checks that an arrival without a transaction is recorded as a difference of its block, or as dust. */
function checkUnseen({ database, bridge }: Simulation, side: Side, arrivals: readonly Arrival[]): void {
  const { chainId } = BOOK[side];
  const native = getCoin(side);
  const here = arrivals.filter((arrival) => arrival.side === side);
  const byBlock = sumByKey(
    here.filter(({ isVisible }) => !isVisible).map(({ block, amount }) => [block.number, amount]),
  );
  const unseen = [...byBlock].map(([block, amount]) => ({ asset: native, block, amount }));
  const isLarge = ({ amount }: { readonly amount: bigint }) => amount >= assetInfo(native).dust;
  assertSame(
    'a difference is what nothing explains',
    unseen.filter(isLarge).map(({ block, amount }) => `${side} ${block} ${amount}`),
    database.differences
      .filter((row) => row.chainId === chainId)
      .map(({ blockNumber, amount }) => `${side} ${blockNumber} ${amount}`),
  );
  const dust = [...here.filter((one) => one.isVisible && isDust(one)), ...unseen.filter((one) => !isLarge(one))];
  const sums = (rows: readonly { readonly asset: Asset; readonly amount: bigint }[]) =>
    [...sumByKey(rows.map(({ asset, amount }) => [asset, amount]))].map(([asset, sum]) => `${side} ${asset} ${sum}`);
  assertSame('dust is counted', sums(dust), sums(database.dust.filter((row) => row.chainId === chainId)));
  for (const { blockNumber, balance, ...row } of database.audits) {
    const actual = bridge[side].balanceAt(wallet, Number(blockNumber));
    if (row.chainId === chainId && balance !== actual)
      throw new ViolationError('the account of the wallet is right', `${side} ${blockNumber}: not ${actual}`);
  }
}

/**
 * The wallet holds exactly its income less its payments and fees.
 *
 * @throws ViolationError
 */
export async function checkBalances(simulation: Simulation, arrivals: readonly Arrival[]): Promise<void> {
  const refunds = shownRefunds(simulation);
  for (const side of SIDES)
    for (const asset of listAssets()) {
      const ofAsset = (one: { readonly side: Side; readonly asset: Asset }) => one.side === side && one.asset === asset;
      const total = (flows: readonly { readonly side: Side; readonly asset: Asset; readonly amount: bigint }[]) =>
        flows.filter(ofAsset).reduce((sum, { amount }) => sum + amount, 0n);
      const chain = simulation.bridge[side];
      const isCoin = asset === getCoin(side);
      const spent = isCoin ? sumSpent(simulation, side) : { fees: 0n, refunds: total(refunds), others: 0n };
      const came = total(arrivals) + (isCoin ? COIN_OF_EACH : 0n);
      const expected = came - spent.fees - spent.refunds - spent.others;
      const actual = isCoin ? chain.balanceAt(wallet, chain.head.number) : await readTokens(simulation, side, asset);
      if (actual !== expected)
        throw new ViolationError(
          'the wallet has what came less what it paid',
          `${side} ${asset}: ${actual - expected}`,
        );
    }
}

/** The wallet's tokens, without those that burns handed in. */
async function readTokens({ bridge }: Simulation, side: Side, asset: Asset): Promise<bigint> {
  const chain = bridge[side];
  const read = async (functionName: 'balanceOf' | 'handedIn') => {
    const data = encodeFunctionData({ abi: bridgedTokenAbi, functionName, args: [wallet] });
    const call = { from: wallet, to: getToken(BOOK, side, asset), value: 0n, data };
    return decodeFunctionResult({ abi: bridgedTokenAbi, functionName, data: await chain.call(call, chain.head) });
  };
  return (await read('balanceOf')) - (side === 'partner' ? await read('handedIn') : 0n);
}

function sumByKey<K>(parts: readonly (readonly [K, bigint])[]): Map<K, bigint> {
  const sums = new Map<K, bigint>();
  for (const [key, amount] of parts) sums.set(key, (sums.get(key) ?? 0n) + amount);
  return sums;
}
