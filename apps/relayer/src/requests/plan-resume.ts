import type { RequestSnapshot, TermsOf } from '@causeway/protocol/admin';
import type { Halt } from '@causeway/store';
import type { BridgeChain } from '../bridge-chain.js';
import { createReader, readPosition } from '../pipeline/chain-reading.js';
import type { Plan, PlanContext } from './plan.js';

type HaltState = Extract<RequestSnapshot, { readonly about: 'halt' }>;

/** The halt to lift, and its findings. */
interface InForce {
  readonly halt: NonNullable<HaltState['halt']>;
  readonly unknown: HaltState['unknown'];
  readonly findings: readonly string[];
}

/**
 * Plans to resume deliveries, or a halted chain whose nodes have the scanned blocks. If they do not, it lists the
 * operations that lost a final block, and resumes only when operators accept the reorg.
 *
 * @throws ChainError when the nodes do not answer or disagree.
 */
export async function planResume(
  context: PlanContext,
  { target, accept }: TermsOf<'RESUME'>,
  { halt, unknown, findings }: InForce,
): Promise<Plan> {
  const { reason } = halt;
  const since = new Date(halt.since);
  if (target === 'deliveries') {
    const outcome = 'Deliveries are resumed. If the contracts are paused, their admin must unpause them.';
    return { findings, effect: { kind: 'resume-deliveries', halt: { since, reason }, looked: unknown }, outcome };
  }
  const chain = context.chains[target];
  const inForce: Halt = { chainId: chain.chainId, since, reason };
  if (await hasScannedBlocks(context, chain)) {
    const outcome = 'The nodes have the scanned blocks. The chain is resumed.';
    return { findings, effect: { kind: 'resume-chain', halt: inForce, ancestor: null }, outcome };
  }
  return planReorg(context, chain, inForce, { isAccepted: accept === 'reorg', findings });
}

/** Whether a quorum of nodes has the last scanned block, and therefore all blocks before it. */
async function hasScannedBlocks({ store }: PlanContext, chain: BridgeChain): Promise<boolean> {
  const { nextBlock } = (await store.scan.cursor(chain.chainId)) ?? { nextBlock: 0n };
  const ours = await store.scan.block(chain.chainId, nextBlock - 1n);
  if (ours === null) return true;
  return (await chain.connection.agreedBlock(nextBlock - 1n))?.hash === ours.hash;
}

async function planReorg(
  context: PlanContext,
  chain: BridgeChain,
  halt: Halt,
  { isAccepted, findings }: { readonly isAccepted: boolean; readonly findings: readonly string[] },
): Promise<Plan> {
  const { store } = context;
  const position = await readPosition(store, chain.chainId);
  const { addressBook: book, wallets } = context.configuration;
  const reader = createReader(store, chain, { wallets, book });
  const step = position === null ? null : await reader.read(position);
  if (step?.kind !== 'reorg') {
    const why = 'The nodes do not have the last scanned block yet; try again when they have caught up';
    return { findings, effect: null, outcome: why };
  }
  const { ancestor } = step;
  const lost = [`The nodes are on another branch from block ${ancestor + 1n} on. Operations that lost a final block:`];
  for (const id of await store.halts.brokenAfter(chain.chainId, ancestor)) {
    const operation = await store.operations.findById(id);
    if (operation === null) continue;
    const part = operation.originChainId === chain.chainId ? 'origin' : 'payment';
    lost.push(`  ${id} ${operation.status} ${operation.asset} ${operation.outputAmount} lost its ${part}`);
  }
  const all = [...findings, ...lost];
  if (!isAccepted) {
    const why = 'Nothing was changed. Read "Halted" in docs/runbook.md before you use --accept-reorg';
    return { findings: all, effect: null, outcome: why };
  }
  const outcome = `Accepted. The relayer rereads the chain from block ${ancestor + 1n}.`;
  return { findings: all, effect: { kind: 'resume-chain', halt, ancestor }, outcome };
}
