import { readHeader } from '@causeway/chain';
import type { Halt } from '@causeway/store';
import { lookAtChain } from '../observe/look-at-chain.js';
import type { BridgeChain } from '../world/bridge-chain.js';
import type { Command } from './command.js';
import { chainNamed, CommandRefusedError, type Desk } from './desk.js';

/** `resume` */
export const resumeChain: Command = {
  name: 'resume',
  takes: ['chain'],
  switches: { 'accept-reorg': 'go on although the chain has lost what was final: nothing lost is paid any more' },
  summary: 'Lets a halted chain go on, if its nodes have the blocks that were read; else shows what was lost.',
  run: async (desk, [name = ''], switches) => {
    const chain = chainNamed(desk, name);
    const halt = (await desk.store.halts.list()).find(({ chainId }) => chainId === chain.chainId);
    if (halt === undefined) throw new CommandRefusedError(`Chain ${chain.chainId} is not halted`);
    desk.say(`Halted since ${halt.since.toISOString()}: ${halt.reason}`);
    if (await isOnOurBranch(desk, chain)) {
      await desk.store.halts.lift(halt);
      return desk.say('The node has the blocks that were read. The chain goes on.');
    }
    await resumeOnOtherBranch(desk, chain, halt, switches.has('accept-reorg'));
  },
};

/** Whether the node has the last block that was read. */
async function isOnOurBranch({ store }: Desk, chain: BridgeChain): Promise<boolean> {
  const { nextBlock } = (await store.scan.cursor(chain.chainId)) ?? { nextBlock: 0n };
  const ours = await store.scan.block(chain.chainId, nextBlock - 1n);
  if (ours === null) return true;
  const theirs = await readHeader(chain.connection.client, nextBlock - 1n);
  return theirs?.hash === ours.hash;
}

async function resumeOnOtherBranch(desk: Desk, chain: BridgeChain, halt: Halt, accepted: boolean): Promise<void> {
  const { store, say } = desk;
  const scan = await lookAtChain(store, chain, desk.configuration.addressBook.relayer);
  if (scan?.kind !== 'reorg')
    throw new CommandRefusedError('The node does not have the last block that was read yet. Try again');
  const broken = await store.halts.brokenAfter(chain.chainId, scan.ancestor);
  say(`The node has another branch from block ${scan.ancestor + 1n} on. Operations that lost what was final:`);
  for (const id of broken) {
    const operation = await store.operations.findById(id);
    if (operation === null) continue;
    const lost = operation.originChainId === chain.chainId ? 'origin' : 'payment';
    say(`  ${id} ${operation.status} ${operation.asset} ${operation.outputAmount} lost its ${lost}`);
  }
  if (!accepted)
    throw new CommandRefusedError('Nothing was changed. See docs/operators.md, After a halt, before --accept-reorg');
  await store.halts.liftAndRollBack(halt, scan.ancestor);
  say(`Accepted. The chain is read again from block ${scan.ancestor + 1n}.`);
}
