import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@causeway/testbed';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { createPublicClient, encodeFunctionData, pad, parseEventLogs, toHex, webSocket, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

// Deposits on Ethereum until their Mint events, and the relayer's latency.

const TIMEOUT_MS = 300_000;

/** Records when each block of Ethereum was first seen, in epoch milliseconds, until `end`. */
export function watchHeads({ stack }: Environment) {
  const seenAt = new Map<bigint, number>();
  const heads = createPublicClient({ transport: webSocket(stack.ethereum.rpcUrl.replace(/^http/, 'ws')) });
  const endHeads = heads.watchBlockNumber({
    emitMissed: true,
    onBlockNumber: (number) => void (seenAt.has(number) || seenAt.set(number, Date.now())),
  });
  const end = async (): Promise<void> => {
    endHeads();
    (await heads.transport.getRpcClient()).close();
  };
  return { seenAt, end };
}

/** Returns the value at a percentile, given as a share. */
export function findPercentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Sends raw transactions to Ethereum, `perBlock` a second. */
export async function sendPaced({ ethereum }: Environment, raws: readonly Hex[], perBlock: number): Promise<Hex[]> {
  const hashes: Hex[] = [];
  for (let sent = 0; sent < raws.length; sent += perBlock) {
    const pause = sleep(1_000);
    const part = raws.slice(sent, sent + perBlock);
    hashes.push(
      ...(await Promise.all(
        part.map((serializedTransaction) => ethereum.client.sendRawTransaction({ serializedTransaction })),
      )),
    );
    await pause;
  }
  return hashes;
}

/** Returns when this process saw each Mint event, in epoch milliseconds. */
export async function mintTimes({ partner, book }: Environment, count: number): Promise<number[]> {
  const times: number[] = [];
  const startedAt = Date.now();
  let next = (await partner.client.getBlockNumber({ cacheTime: 0 })) + 1n;
  while (times.length < count) {
    if (Date.now() - startedAt > TIMEOUT_MS) throw new Error(`Only ${times.length} of ${count} were minted`);
    const head = await partner.client.getBlockNumber({ cacheTime: 0 });
    if (head >= next) {
      const logs = await partner.client.getLogs({ address: book.partner.bridgeMint, fromBlock: next, toBlock: head });
      for (const _ of parseEventLogs({ abi: bridgeMintAbi, logs, eventName: 'Mint' })) times.push(Date.now());
      next = head + 1n;
    }
    await sleep(50);
  }
  return times;
}

/**
 * Returns the milliseconds from the block that made each deposit final to the broadcast of its mint, by the relayer's
 * log.
 *
 * @param confirmations the environment's setting.
 */
export async function measureLatencies(
  { ethereum, stack, book }: Environment,
  hashes: readonly Hex[],
  seenAt: ReadonlyMap<bigint, number>,
  confirmations: number,
): Promise<number[]> {
  const broadcastAt = new Map<string, number>();
  for (const line of readFileSync(join(stack.logs, 'relayer.log'), 'utf8').split('\n')) {
    if (!line.includes('delivery broadcast')) continue;
    const { time, operationIds } = JSON.parse(line) as { time: string | number; operationIds: readonly string[] };
    for (const id of operationIds) broadcastAt.set(id, new Date(time).getTime());
  }
  const latencies: number[] = [];
  for (const hash of hashes) {
    const { logs, blockNumber } = await ethereum.client.getTransactionReceipt({ hash });
    const final = seenAt.get(blockNumber + BigInt(confirmations) - 1n);
    const ours = logs.filter(({ address }) => address.toLowerCase() === book.ethereum.bridgeLock.toLowerCase());
    const [deposit] = parseEventLogs({ abi: bridgeLockAbi, logs: ours, eventName: 'Deposit' });
    if (deposit === undefined || final === undefined) throw new Error(`Transaction ${hash} does not contain a deposit`);
    const sent = broadcastAt.get(deposit.args.depositId);
    if (sent === undefined) throw new Error(`The relayer's log has no broadcast of ${deposit.args.depositId}`);
    latencies.push(sent - final);
  }
  return latencies;
}

/** Signs small deposits of ETH, each to its own recipient. */
export async function signDeposits({ ethereum, accounts, book }: Environment, count: number): Promise<Hex[]> {
  const account = privateKeyToAccount(accounts.alice.privateKey);
  const { client } = ethereum;
  const nonce = await client.getTransactionCount({ address: account.address });
  const chainId = await client.getChainId();
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      account.signTransaction({
        type: 'eip1559',
        chainId,
        nonce: nonce + index,
        to: book.ethereum.bridgeLock,
        data: encodeFunctionData({
          abi: bridgeLockAbi,
          functionName: 'depositNative',
          args: [pad(toHex(0xb000_0000 + nonce + index), { size: 20 })],
        }),
        value: 10n ** 12n,
        gas: 100_000n,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 10n ** 9n,
      }),
    ),
  );
}
