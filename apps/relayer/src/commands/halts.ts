import { FIELDS, type FieldValues } from '@causeway/protocol/admin';
import { runAction } from './actions.js';
import { CommandRefusedError, type CommandContext } from './command-context.js';

type Target = FieldValues<'target'>['target'];

/** `relayer halts`: prints every halt with its start and reason. */
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
  if (reason.trim() === '') throw new CommandRefusedError('Give a reason, for the operator who resumes the chain');
  await runAction(context, { kind: 'HALT', target: requireTarget(name) }, reason);
}

/** The facts that an operator accepts when lifting a halt. */
interface Acceptance {
  /** The chain lost final blocks: lost operations are not paid. */
  readonly acceptReorg?: boolean;
  /** The operator has checked the unknown deliveries and accounted for what they took. */
  readonly acceptUnknown?: boolean;
}

/**
 * `relayer resume`: resumes deliveries, or a halted chain whose nodes have the scanned blocks. If they do not, prints
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
