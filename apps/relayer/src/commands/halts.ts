import type { Halt } from '@causeway/store';
import type { BridgeChain } from '../bridge-chain.js';
import { createReader, readPosition } from '../pipeline/chain-reading.js';
import { chainByName, CommandRefusedError, type CommandContext } from './command-context.js';

/** `relayer halts`: prints the halted chains, since when and why. */
export async function listHalts({ store, print }: CommandContext): Promise<void> {
  const halts = await store.halts.list();
  if (halts.length === 0) print('No chain is halted.');
  for (const { chainId, since, reason } of halts) print(`${chainId} since ${since.toISOString()}: ${reason}`);
}

/**
 * `relayer halt`: halts a chain.
 *
 * @throws CommandRefusedError
 */
export async function haltChain(context: CommandContext, name: string, reason: string): Promise<void> {
  const { chainId } = chainByName(context, name);
  if (reason.trim() === '') throw new CommandRefusedError('Give a reason: it helps the operator who resumes the chain');
  if (!(await context.store.halts.halt(chainId, reason)))
    throw new CommandRefusedError(`Chain ${chainId} is already halted, or was never read`);
  context.print(`Chain ${chainId} is halted.`);
}

/**
 * `relayer resume`: resumes a halted chain when its nodes have the scanned blocks. Otherwise prints the operations that
 * lost a final block, and resumes only when the operator accepts the reorg.
 *
 * @throws CommandRefusedError
 */
export async function resumeChain(context: CommandContext, name: string, acceptReorg: boolean): Promise<void> {
  const { store, print } = context;
  const chain = chainByName(context, name);
  const halt = (await store.halts.list()).find(({ chainId }) => chainId === chain.chainId);
  if (halt === undefined) throw new CommandRefusedError(`Chain ${chain.chainId} is not halted`);
  print(`Halted since ${halt.since.toISOString()}: ${halt.reason}`);
  if (await hasScannedBlocks(context, chain)) {
    await store.halts.lift(halt);
    return print('The nodes have the scanned blocks. The chain is resumed.');
  }
  await resumeAfterReorg(context, chain, halt, acceptReorg);
}

/** Whether a quorum of nodes has the last scanned block, and so all blocks before it. */
async function hasScannedBlocks({ store }: CommandContext, chain: BridgeChain): Promise<boolean> {
  const { nextBlock } = (await store.scan.cursor(chain.chainId)) ?? { nextBlock: 0n };
  const ours = await store.scan.block(chain.chainId, nextBlock - 1n);
  if (ours === null) return true;
  return (await chain.connection.agreedBlock(nextBlock - 1n))?.hash === ours.hash;
}

async function resumeAfterReorg(
  context: CommandContext,
  chain: BridgeChain,
  halt: Halt,
  acceptReorg: boolean,
): Promise<void> {
  const { store, print } = context;
  const position = await readPosition(store, chain.chainId);
  const reader = createReader(store, chain, [context.configuration.addressBook.relayer]);
  const step = position === null ? null : await reader.read(position);
  if (step?.kind !== 'reorg')
    throw new CommandRefusedError(
      'The nodes do not have the last scanned block yet: try again when they have caught up',
    );
  const broken = await store.halts.brokenAfter(chain.chainId, step.ancestor);
  print(`The nodes have another branch from block ${step.ancestor + 1n} on. Operations that lost a final block:`);
  for (const id of broken) {
    const operation = await store.operations.findById(id);
    if (operation === null) continue;
    const lost = operation.originChainId === chain.chainId ? 'origin' : 'payment';
    print(`  ${id} ${operation.status} ${operation.asset} ${operation.outputAmount} lost its ${lost}`);
  }
  if (!acceptReorg)
    throw new CommandRefusedError(
      'Nothing was changed. Read "After a halt" in docs/operators.md before you use --accept-reorg',
    );
  await store.halts.liftAndRollBack(halt, step.ancestor);
  print(`Accepted. The relayer reads the chain again from block ${step.ancestor + 1n}.`);
}
