import { FIELDS, type FieldValues } from '@causeway/protocol/admin';
import { runAction } from './actions.js';
import { CommandRefusedError, type CommandContext } from './command-context.js';

/** The targets that can be halted, and resumed. */
type Target = FieldValues<'target'>['target'];

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
  await runAction(context, { kind: 'HALT', target: requireTarget(name) }, reason);
}

/** The facts that an operator accepts when a halt is lifted. */
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
  const { acceptReorg = false, acceptUnknown = false } = accepted;
  const accept = acceptUnknown ? 'unknown' : acceptReorg ? 'reorg' : 'nothing';
  await runAction(context, { kind: 'RESUME', target: requireTarget(name), accept }, 'command line');
}

/** @throws CommandRefusedError */
function requireTarget(name: string): Target {
  const known = FIELDS.target.choices.find((each) => each === name);
  if (known !== undefined) return known;
  throw new CommandRefusedError(`There is no chain named ${name}: use ethereum or partner`);
}
