import { bridgeLockAbi } from '@causeway/protocol/abi';
import { describe, expect, it } from '@jest/globals';
import { encodeFunctionData, parseEther, zeroAddress } from 'viem';
import { BOOK, ROLES, send } from '../../simulation/bridge.ts';
import {
  forgeBlock,
  inventedBlock,
  inventedLog,
  otherBalance,
  otherHead,
  otherReceipts,
  otherReturn,
} from '../../simulation/chain/lies.ts';
import { HONEST, type NodeFaults } from '../../simulation/chain/simulated-node.ts';
import type { SimulatedChain } from '../../simulation/chain/simulated-chain.ts';
import { alice, setUp } from './setup.ts';

// With one faulty node of three, the relayer reads the same, and reports the fault of that node.

const { bridgeLock } = BOOK.ethereum;
const nonce = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'depositNonce' });

/** A block with an invented deposit, in place of the chain's block. */
function forgedBlock(chain: SimulatedChain) {
  const parent = chain.blockAt(chain.head.number - 1);
  const [log] = chain.blockAt(5).mined[0]?.logs ?? [];
  const [mined] = chain.blockAt(5).mined;
  if (log === undefined || mined === undefined) throw new Error('Block 5 has a deposit');
  return forgeBlock(parent, mined.transaction, [log, log]);
}

type Fault = (chain: SimulatedChain) => Partial<NodeFaults>;

const LOG = { address: bridgeLock, topics: [`0x${'11'.repeat(32)}`], data: '0x' } as const;
const FAULTS: [string, Fault][] = [
  ['down', () => ({ isDown: true })],
  ['silent', () => ({ isSilent: true })],
  ['lags', () => ({ lagBlocks: 4 })],
  ['has no old state', () => ({ keptStates: 2 })],
  ['hides logs', () => ({ hidesLogs: true })],
  ['answers late', () => ({ delayMs: 3_000 })],
  ['too late', () => ({ delayMs: 30_000 })],
  ['gets each request twice', () => ({ isTwice: true })],
  ['another head', () => ({ lie: otherHead(50) })],
  ['another balance', () => ({ lie: otherBalance(ROLES.relayer.address, 10n ** 20n) })],
  ['another return', () => ({ lie: otherReturn(bridgeLock, () => `0x${'00'.repeat(31)}99`) })],
  ['other receipts', () => ({ lie: otherReceipts })],
  ['an invented log', (chain) => ({ lie: inventedLog(LOG, chain.blockAt(3)) })],
  ['an invented block', (chain) => ({ lie: inventedBlock(forgedBlock(chain)) })],
];

/** Even when all nodes have these faults, they only cost time or a fallback. */
const HARMLESS = new Set(['has no old state', 'answers late', 'gets each request twice']);

/** Everything that the relayer reads from a chain. */
async function readAll({ chain, connection, stored, catchUp }: ReturnType<typeof setUp>) {
  const { address } = ROLES.relayer;
  const blockNumber = await connection.agreedHead();
  const hash = chain.blockAt(5).mined[0]?.transaction.hash ?? '0x';
  const [counter, balance, receipt, logs] = await Promise.all([
    connection.agree((client) => client.call({ to: bridgeLock, data: nonce, blockNumber })),
    connection.agree((client) => client.getBalance({ address, blockNumber })),
    connection.agree(async (client) => (await client.getTransactionReceipt({ hash })).status),
    connection.agree((client) => client.getLogs({ address: bridgeLock, fromBlock: 1n, toBlock: 9n })),
  ]);
  await catchUp();
  return { blockNumber, counter, balance, receipt, logs, hashes: [...stored.hashes], deposits: stored.deposits };
}

async function withDeposits() {
  const simulation = setUp();
  for (let index = 0; index < 12; index += 1) {
    if (index % 3 === 0) simulation.deposit();
    await simulation.mine();
  }
  return simulation;
}

describe('a fault of one node', () => {
  it.each(FAULTS)('does not change the result: %s', async (_, fault) => {
    const honest = await readAll(await withDeposits());
    expect(honest.deposits).toBe(4n);
    for (const index of [0, 1, 2]) {
      const simulation = await withDeposits();
      const node = simulation.nodes[index];
      if (node === undefined) throw new Error('There are three');
      node.faults = { ...HONEST, ...fault(simulation.chain) };
      expect(await readAll(simulation)).toEqual(honest);
    }
  });

  it.each(FAULTS.filter(([name]) => !HARMLESS.has(name)))('shows when all nodes have it: %s', async (_, fault) => {
    const honest = await readAll(await withDeposits());
    const simulation = await withDeposits();
    for (const node of simulation.nodes) node.faults = { ...HONEST, ...fault(simulation.chain) };
    expect(await readAll(simulation).catch(() => 'failed')).not.toEqual(honest);
  });

  it.each(['refuses', 'swallows'] as const)('stops no transaction: %s', async (broadcasts) => {
    const { chain, nodes, connection, mine } = setUp();
    for (const node of nodes.slice(0, 2)) node.faults = { ...HONEST, broadcasts };
    const terms = { chainId: chain.input.chainId, nonce: 0, gas: 21_000n } as const;
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
    const { raw, hash } = alice.sign({ ...terms, ...fees, to: zeroAddress, input: '0x', value: parseEther('1') });
    expect(await connection.client.sendRawTransaction({ serializedTransaction: raw })).toBe(hash);
    await mine();
    expect(chain.head.mined).toHaveLength(1);
  });

  it('shows only at a node that stays on a branch that the chain has left', async () => {
    const { chain, nodes, connection, mine } = setUp();
    send(chain, alice, { to: zeroAddress });
    await mine(4);
    const [node] = nodes;
    if (node === undefined) throw new Error('There are three');
    node.faults = { ...HONEST, stuckAt: chain.head };
    const left = chain.head.hash;
    chain.reorg(3);
    await mine(4);
    const [first] = connection.usable();
    expect((await first?.client.getBlock({ blockNumber: 5n }))?.hash).toBe(left);
    expect((await connection.agreedBlock(5n))?.hash).toBe(chain.blockAt(5).hash);
  });
});
