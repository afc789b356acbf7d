import type { Halt } from '@causeway/store';
import type { BridgeChain } from '../bridge-chain.js';
import { createReader, readPosition } from '../pipeline/chain-reading.js';
import { chainByName, CommandRefusedError, type CommandContext } from './command-context.js';

/** The name of the deliveries where another command names a chain. */
const DELIVERIES = 'deliveries';

/** `relayer halts`: prints everything that is halted, since when and why. */
export async function listHalts({ store, print }: CommandContext): Promise<void> {
  const halts = await store.halts.list();
  const deliveries = await store.halts.deliveries();
  if (halts.length === 0 && deliveries === null) print('Nothing is halted.');
  for (const { chainId, since, reason } of halts) print(`${chainId} since ${since.toISOString()}: ${reason}`);
  if (deliveries !== null) print(`deliveries since ${deliveries.since.toISOString()}: ${deliveries.reason}`);
}

/**
 * `relayer halt`: halts a chain, or the deliveries.
 *
 * @throws CommandRefusedError
 */
export async function haltChain(context: CommandContext, name: string, reason: string): Promise<void> {
  if (reason.trim() === '') throw new CommandRefusedError('Give a reason: it helps the operator who resumes the chain');
  if (name === DELIVERIES) return haltDeliveries(context, reason);
  const { chainId } = chainByName(context, name);
  if (!(await context.store.halts.halt(chainId, reason)))
    throw new CommandRefusedError(`Chain ${chainId} is already halted, or was never read`);
  context.print(`Chain ${chainId} is halted.`);
}

async function haltDeliveries({ store, print }: CommandContext, reason: string): Promise<void> {
  if (!(await store.halts.haltDeliveries(reason)))
    throw new CommandRefusedError('The deliveries are already halted, or no chain was ever read');
  print('The deliveries are halted. The chains are still read.');
}

/**
 * `relayer resume deliveries`: prints the unknown deliveries, and resumes when the operator accepts them.
 *
 * @throws CommandRefusedError
 */
async function resumeDeliveries({ store, print }: CommandContext, acceptUnknown: boolean): Promise<void> {
  const halt = await store.halts.deliveries();
  if (halt === null) throw new CommandRefusedError('The deliveries are not halted');
  print(`Halted since ${halt.since.toISOString()}: ${halt.reason}`);
  const unknown = await store.verdicts.unknown();
  for (const { name, operationId, txHash, chainId, args } of unknown)
    print(`  unknown ${name} ${operationId} in ${txHash} on chain ${chainId}: ${JSON.stringify(args)}`);
  if (unknown.length > 0 && !acceptUnknown)
    throw new CommandRefusedError(
      'Nothing was changed. Read "An unknown delivery" in docs/operators.md before you use --accept-unknown',
    );
  await store.halts.liftDeliveries(halt, unknown);
  print('The deliveries are resumed. A pause of the contracts is lifted by their admin.');
}

/** What an operator accepts when a halt is lifted. */
interface Acceptance {
  /** The chain lost final blocks: lost operations are not paid. */
  readonly acceptReorg?: boolean;
  /** The unknown deliveries were looked at, and what they took is accounted for. */
  readonly acceptUnknown?: boolean;
}

/**
 * `relayer resume`: resumes the deliveries, or a halted chain when its nodes have the scanned blocks. Otherwise prints
 * the operations that lost a final block, and resumes only when the operator accepts the reorg.
 *
 * @throws CommandRefusedError
 */
export async function resumeChain(context: CommandContext, name: string, accepted: Acceptance): Promise<void> {
  const { store, print } = context;
  if (name === DELIVERIES) return resumeDeliveries(context, accepted.acceptUnknown === true);
  const chain = chainByName(context, name);
  const halt = (await store.halts.list()).find(({ chainId }) => chainId === chain.chainId);
  if (halt === undefined) throw new CommandRefusedError(`Chain ${chain.chainId} is not halted`);
  print(`Halted since ${halt.since.toISOString()}: ${halt.reason}`);
  if (await hasScannedBlocks(context, chain)) {
    await store.halts.lift(halt);
    return print('The nodes have the scanned blocks. The chain is resumed.');
  }
  await resumeAfterReorg(context, chain, halt, accepted.acceptReorg === true);
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
  const { addressBook: book, wallets } = context.configuration;
  const reader = createReader(store, chain, { wallets, book });
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
