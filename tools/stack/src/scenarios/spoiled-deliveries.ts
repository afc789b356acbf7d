import { getToken } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { reconcile } from '@causeway/testbed';
import type { Hex } from 'viem';
import { makeStranger, type Bench } from './bench.js';
import {
  getBridge,
  holdBlocks,
  pause,
  restartRelayer,
  stopBlocks,
  stopRelayer,
  within,
  type Lift,
} from './conditions.js';
import { AMOUNTS, burn, deposit, letHoldPass, type Outcome } from './transfers.js';

// Deliveries preceded by another transaction of the relayer's key, or by a reorg.

/** A replacement must pay at least 10 % more; this suffices at any base fee of a stack. */
const REPLACING_FEE = 10n ** 12n;
const GAS = 100_000n;

/** A method of the development chain that viem's types do not know. */
interface EvmSnapshot {
  readonly Method: 'evm_snapshot';
  readonly Parameters?: undefined;
  readonly ReturnType: Hex;
}

/**
 * Another transaction of the relayer's key uses the nonce of the delivery. The next attempt would follow within
 * seconds, so the relayer is stopped until the condition is lifted.
 */
export async function takeNonce(bench: Bench): Promise<Outcome> {
  const { ethereum, accounts } = bench.environment;
  const query = await burn(bench, 'ETH');
  const resume = await stopBlocks(bench);
  const { operation } = await within(resume, async () => {
    const hash = await broadcastDelivery(bench, query);
    const { nonce } = await ethereum.client.getTransaction({ hash });
    const fees = { maxFeePerGas: REPLACING_FEE, maxPriorityFeePerGas: REPLACING_FEE, gas: GAS };
    const to = accounts.relayer.address;
    await ethereum.getWallet(accounts.relayer).sendTransaction({ to, value: 0n, nonce, ...fees });
    await resume();
    return bench.untilDelayed(query, 'NONCE_TAKEN');
  });
  return { operation, lift: await stopRelayer(bench) };
}

/**
 * A reorg of the partner chain removes the burn while its release waits for a block, and an operator cancels the
 * release. `lift` burns again, since the next withdrawal gets the number of the lost one and is not paid.
 */
export async function cancelDelivery(bench: Bench): Promise<Outcome> {
  const { partner } = bench.environment;
  await bench.openUserWith('USDC', 2n * AMOUNTS.USDC);
  const snapshot = await partner.client.request<EvmSnapshot>({ method: 'evm_snapshot' });
  const query = await burn(bench, 'USDC');
  const resume = await stopBlocks(bench);
  const lift = async () => {
    await resume();
    await burn(bench, 'USDC');
  };
  return within(lift, async () => {
    await broadcastDelivery(bench, query);
    const { id } = await bench.until(query, 'known', () => true);
    await partner.client.request({ method: 'evm_revert', params: [snapshot] } as never);
    await bench.wait('the halt is known', async () => (await fetchHalts(bench)) > 0);
    await bench.command('resume', 'partner', '--accept-reorg');
    await bench.wait('the release is withheld', () => bench.command('cancel', id, '--send').then(() => true));
    return bench.untilDelayed(`withdrawId=${id}`, 'DELIVERY_CANCELLED');
  });
}

/**
 * A thief with the relayer's key mints one unit with the number of a deposit, and deliveries halt. `lift` replaces the
 * unit, reopens the number and resumes, so that the deposit is delivered.
 */
export async function useUpNumber(bench: Bench): Promise<Outcome> {
  const { ethereum, partner, book, accounts } = bench.environment;
  await bench.openUser();
  const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
  const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
  const resume = await holdBlocks(bench);
  const number = await ethereum.client.readContract({ ...lock, functionName: 'depositNonce' });
  const query = await deposit(bench, 'ETH');
  const args = [number, getToken(book, 'partner', 'ETH'), makeStranger(), 1n] as const;
  const thief = partner.getWallet(accounts.relayer);
  await bench.mined('partner', await thief.writeContract({ ...mint, functionName: 'mint', args }));
  await resume();
  return within(
    () => openNumber(bench, number),
    () => bench.untilDelayed(query, 'NUMBER_USED_UP'),
  );
}

async function openNumber(bench: Bench, number: bigint): Promise<void> {
  const { ethereum, partner, book, accounts } = bench.environment;
  const address = book.ethereum.bridgeLock;
  await ethereum.test.setBalance({ address, value: (await ethereum.client.getBalance({ address })) + 1n });
  const unpause: Lift = await pause(bench, 'partner', 'deliveries');
  const mint = { ...getBridge(bench, 'partner'), abi: bridgeMintAbi } as const;
  const word = number >> 8n;
  const reopened = { ...mint, eventName: 'Reopened', fromBlock: 0n } as const;
  const earlier = (await partner.client.getContractEvents(reopened)).filter(({ args }) => args.word === word);
  const args = [word, 1n << (number & 0xffn), BigInt(earlier.length)] as const;
  const admin = partner.getWallet(accounts.deployer);
  await bench.mined('partner', await admin.writeContract({ ...mint, functionName: 'reopen', args }));
  await bench.wait('the deliveries resume', async () => {
    await bench.command('resume', 'deliveries', '--accept-unknown');
    return (await fetchHalts(bench)) === 0;
  });
  await unpause();
  await reconcile(bench.environment);
  await restartRelayer(bench);
}

/** Waits until the release of a withdrawal is in the pool of Ethereum's node, and returns its hash. */
async function broadcastDelivery(bench: Bench, query: string): Promise<Hex> {
  await letHoldPass(bench, query);
  const { destinationTxHash: hash } = await bench.untilStatus(query, 'PROCESSING_DESTINATION');
  if (hash === null) throw new Error('The delivery has no transaction');
  const { client } = bench.environment.ethereum;
  await bench.wait('the release is broadcast', async () => (await client.getTransaction({ hash })) !== null);
  return hash;
}

async function fetchHalts({ environment }: Bench): Promise<number> {
  const health = (await (await fetch(environment.stack.healthUrl)).json()) as { halts?: readonly unknown[] };
  return health.halts?.length ?? 0;
}
