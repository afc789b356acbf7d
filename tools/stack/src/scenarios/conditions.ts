import { sentinelAbi } from '@causeway/contracts/abi';
import { assetInfo, getToken, type Asset } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { parseGwei } from 'viem';
import type { Side } from '../stack.js';
import type { Bench } from './bench.js';

/** Ends a condition. */
export type Lift = () => Promise<void>;

/** Above the relayer's maximum for gas (`MAX_FEE_GWEI`). */
const HIGH_FEE = parseGwei('1000');
const USUAL_FEE = parseGwei('1');
/** The base fee falls by an eighth with each block. */
const RAISE_EVERY_MS = 500;
/** Whole coins: more than the relayer wallet has. */
const ALL_XCN = 1_000_000_000;
const MOST_ROUNDS = 3;
const WAITING_XCN = `SELECT id FROM operation WHERE asset = 'XCN' AND direction = 'ETHEREUM_TO_PARTNER'
  AND status NOT IN ('COMPLETED', 'FAILED', 'EXPIRED')`;
const LIMIT_WINDOW_SECONDS = 3_600n;

/** Runs a scenario under a condition, and lifts the condition on failure. */
export async function within<T>(lift: Lift, work: () => Promise<T>): Promise<{ operation: T; lift: Lift }> {
  try {
    return { operation: await work(), lift };
  } catch (error) {
    const failure = await lift().then(() => null, String);
    if (failure !== null)
      throw new Error(`${String(error)}. Lifting the condition also failed: ${failure}`, { cause: error });
    throw error;
  }
}

/** The bridge contract of a chain. Both have the functions that scenarios call. */
export function getBridge({ environment: { book } }: Bench, chain: Side) {
  const address = chain === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
  return { address, abi: bridgeLockAbi } as const;
}

/** The guardian pauses through the sentinel; the admin unpauses. */
export async function pause(bench: Bench, chain: Side, what: 'beginnings' | 'deliveries'): Promise<Lift> {
  const { book, accounts, [chain]: clients } = bench.environment;
  const sides = [what === 'beginnings', what === 'deliveries'] as const;
  const sentinel = { address: book[chain].sentinel, abi: sentinelAbi } as const;
  const wallet = clients.getWallet(accounts.guardian);
  await bench.mined(chain, await wallet.writeContract({ ...sentinel, functionName: 'pause', args: sides }));
  if (what === 'beginnings') await untilQuoted(bench, chain, true);
  return async () => {
    const bridge = getBridge(bench, chain);
    const [, , count] = await clients.client.readContract({ ...bridge, functionName: 'pauses' });
    const args = [count, ...sides] as const;
    const admin = clients.getWallet(accounts.deployer);
    await bench.mined(chain, await admin.writeContract({ ...bridge, functionName: 'unpause', args }));
    if (what === 'beginnings') await untilQuoted(bench, chain, false);
  };
}

/** The API polls the contracts every few seconds, and accepts intents until it has read a pause. */
async function untilQuoted(bench: Bench, chain: Side, isPaused: boolean): Promise<void> {
  const direction = chain === 'ethereum' ? 'ETHEREUM_TO_PARTNER' : 'PARTNER_TO_ETHEREUM';
  const url = `${bench.environment.stack.apiUrl}/bridge/fee-quote?token=USDC&amount=100&direction=${direction}`;
  await bench.wait('the API has read the pause', async () => {
    const { paused } = (await (await fetch(url)).json()) as { readonly paused?: boolean };
    return paused === isPaused;
  });
}

/** The policy manager lowers the limit. */
export async function limitOutflow(bench: Bench, chain: Side, asset: Asset): Promise<Lift> {
  const { book, accounts, [chain]: clients } = bench.environment;
  const bridge = getBridge(bench, chain);
  const token = getToken(book, chain, asset);
  const set = async (capacity: bigint, seconds: bigint) => {
    // An estimate would be too low if the used part of the limit changed before the block.
    const call = {
      ...bridge,
      functionName: 'setOutflowLimit',
      args: [token, capacity, seconds],
      gas: 200_000n,
    } as const;
    await bench.mined(chain, await clients.getWallet(accounts.policyManager).writeContract(call));
  };
  const limit = { ...bridge, functionName: 'outflowLimit', args: [token] } as const;
  const [capacity, seconds] = await clients.client.readContract(limit);
  // A tenth of a coin is a multiple of the contract's limit unit.
  await set(10n ** BigInt(assetInfo(asset).decimals - 1), LIMIT_WINDOW_SECONDS);
  return () => set(capacity, seconds);
}

/** Uses up the float by deposits, with a relayer that keeps all XCN of its wallet. */
export async function emptyFloat(bench: Bench): Promise<Lift> {
  const { environment } = bench;
  const { partner, book } = environment;
  const user = await bench.openUser();
  const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
  let taken = 0n;
  const lift = async () => {
    const topUp = { ...mint, functionName: 'topUp', value: taken } as const;
    if (taken > 0n) await bench.mined('partner', await partner.getWallet(user.account).writeContract(topUp));
    await restartRelayer(bench);
  };
  // Waiting deposits would be paid out of the amount that the deposit below needs.
  await bench.wait('no other deposit of XCN is waiting', async () => (await bench.query(WAITING_XCN)).length === 0);
  await environment.restartRelayer({ WORKING_BALANCE_XCN: `${ALL_XCN}` });
  await within(lift, async () => {
    // A sweep signed earlier adds a little to the float.
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const float = await partner.client.readContract({ ...mint, functionName: 'float' });
      if (float === 0n) return;
      const { originTxHash } = await user.deposit('XCN', float, user.account.address);
      await bench.untilStatus(`originTxHash=${originTxHash}`, 'COMPLETED');
      taken += float;
    }
  });
  return lift;
}

export async function raiseFees(bench: Bench): Promise<Lift> {
  const { ethereum } = bench.environment;
  const raise = () => ethereum.test.setNextBlockBaseFeePerGas({ baseFeePerGas: HIGH_FEE });
  await raise();
  const isHigh = async () => ((await ethereum.client.getBlock()).baseFeePerGas ?? 0n) >= HIGH_FEE / 2n;
  // If anvil has failed, the environment ends and reports the reason.
  const timer = setInterval(() => void raise().catch(() => undefined), RAISE_EVERY_MS);
  await bench.wait('the base fee is high', isHigh);
  return async () => {
    clearInterval(timer);
    await ethereum.test.setNextBlockBaseFeePerGas({ baseFeePerGas: USUAL_FEE });
    await bench.wait('the base fee is low', async () => !(await isHigh()));
  };
}

export async function holdBlocks(bench: Bench): Promise<Lift> {
  await bench.environment.ethereum.test.setAutomine(true);
  return () => resumeBlocks(bench);
}

/** Stops all blocks: transactions wait in the node's pool. */
export async function stopBlocks(bench: Bench): Promise<Lift> {
  await bench.environment.ethereum.test.setIntervalMining({ interval: 0 });
  return () => resumeBlocks(bench);
}

async function resumeBlocks({ environment: { ethereum, options } }: Bench): Promise<void> {
  await ethereum.test.setIntervalMining({ interval: options.ethereumBlockSeconds });
}

export async function stopApi({ environment }: Bench): Promise<Lift> {
  await environment.processes.kill('api');
  return () => environment.restartApi();
}

export async function stopRelayer(bench: Bench): Promise<Lift> {
  await bench.environment.killRelayer();
  return () => restartRelayer(bench);
}

/** Restarts the relayer with its original settings, and waits until it is healthy. */
export async function restartRelayer(bench: Bench): Promise<void> {
  const { environment } = bench;
  await environment.restartRelayer();
  await bench.wait('the relayer is healthy', async () => (await fetch(environment.stack.healthUrl)).ok);
}

/** Moves the clocks of both chains forward, with a block at the new time on each. */
export async function passTime({ environment: { ethereum, partner } }: Bench, seconds: number): Promise<void> {
  // Ethereum first: the hold of a withdrawal ends with the block of the partner chain.
  for (const { client } of [ethereum, partner]) {
    await client.request({ method: 'evm_increaseTime', params: [seconds] } as never);
    await client.request({ method: 'evm_mine', params: [] } as never);
  }
}
