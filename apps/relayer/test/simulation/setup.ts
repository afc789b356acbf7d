import type { ReadStep } from '@causeway/chain';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import type { Store } from '@causeway/store';
import { encodeFunctionData, parseEther, type Hex } from 'viem';
import type { BridgeChain } from '../../src/bridge-chain.js';
import { createReader } from '../../src/pipeline/chain-reading.js';
import { FinalBlocks } from '../../src/final-blocks.js';
import { BOOK, ROLES, send, simulatedBridge } from '../../simulation/bridge.ts';
import { simulatedConnection } from '../../simulation/chain/connection.ts';
import { SimulatedNode } from '../../simulation/chain/simulated-node.ts';
import { USERS } from '../../simulation/environment/people.ts';
import type { Step } from '../../simulation/step.ts';

const CONFIRMATIONS = 3;
export const [alice] = USERS;
const DEPOSIT = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'depositNative', args: [alice.address] });

/** The blocks that were read, in memory. */
class StoredChain {
  readonly hashes = new Map<bigint, Hex>();
  deposits = 0n;
  readonly payments: bigint[] = [];
  private nextBlock = 1n;

  get position() {
    return { nextBlock: this.nextBlock, lastHash: this.hashes.get(this.nextBlock - 1n) ?? null };
  }

  get scan(): Store['scan'] {
    const block = async (_: number, number: bigint) => {
      const hash = this.hashes.get(number);
      return hash === undefined ? null : { number, hash };
    };
    const blockBelow = async (_: number, number: bigint) => {
      const below = [...this.hashes].filter(([one]) => one < number).toSorted(([a], [b]) => (a < b ? 1 : -1));
      return below[0] === undefined ? null : { number: below[0][0], hash: below[0][1] };
    };
    return { block, blockBelow, nextOriginNumber: async () => this.deposits } as unknown as Store['scan'];
  }

  take(step: ReadStep): ReadStep {
    if (step.kind === 'reorg') {
      for (const number of this.hashes.keys()) if (number > step.ancestor) this.hashes.delete(number);
      this.nextBlock = step.ancestor + 1n;
    }
    if (step.kind !== 'extend') return step;
    for (const { number, hash, logs, transfers } of step.blocks) {
      this.hashes.set(number, hash);
      this.deposits += BigInt(logs.filter(({ data }) => data.length === 2 + 3 * 64).length);
      this.payments.push(...transfers.map(({ value }) => value));
      this.nextBlock = number + 1n;
    }
    return step;
  }
}

/** One simulated chain with three nodes, and the relayer's own reader. */
export function setUp(side: 'ethereum' | 'partner' = 'ethereum') {
  const bridge = simulatedBridge();
  const chain = bridge[side];
  const nodes = ['a', 'b', 'c'].map((name) => new SimulatedNode(name, chain));
  const time = { now: 0 };
  const step = oneAfterAnother();
  const connection = simulatedConnection({
    name: side,
    chainId: chain.input.chainId,
    nodes,
    quorum: 2,
    confirmations: CONFIRMATIONS,
    clock: { now: () => time.now, every: () => () => undefined, sleep: async (ms) => void (time.now += ms) },
    step,
    timeoutMs: 10_000,
  });
  const bridgeChain: BridgeChain = {
    side,
    chainId: chain.input.chainId,
    connection,
    bridge: side === 'ethereum' ? BOOK.ethereum.bridgeLock : BOOK.partner.bridgeMint,
    deployedAtBlock: 1n,
    confirmations: CONFIRMATIONS,
    finality: new FinalBlocks(connection, () => time.now),
  };
  const stored = new StoredChain();
  const reader = createReader({ scan: stored.scan }, bridgeChain, { wallets: [ROLES.relayer.address], book: BOOK });
  const mine = async (count = 1) => {
    for (let index = 0; index < count; index += 1)
      await step('mine', async () => chain.mine(chain.head.timestamp + chain.input.blockSeconds));
  };
  const deposit = (value = parseEther('1')) =>
    send(chain, alice, { to: BOOK.ethereum.bridgeLock, data: DEPOSIT, value });
  /** Reads until it has caught up. */
  const catchUp = async () => {
    const steps: ReadStep[] = [];
    do {
      steps.push(stored.take(await reader.read(stored.position)));
    } while (steps.at(-1)?.kind !== 'idle');
    return steps;
  };
  return { chain, nodes, connection, mine, deposit, stored, catchUp, time };
}

/** Runs steps one after the other, like the kernel, since nodes and blocks share an EVM. */
function oneAfterAnother(): Step {
  let last: Promise<unknown> = Promise.resolve();
  return async (_, work) => {
    const answer = last.then(work);
    last = answer.catch(() => undefined);
    return answer;
  };
}
