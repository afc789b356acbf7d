import type { Operation } from '@causeway/store';
import { isHash, type Hex } from 'viem';
import { eachChain, type BridgeChain } from '../bridge-chain.js';
import type { Infrastructure } from '../infrastructure.js';

/** The resources of an operator's command. `print` writes one line to the standard output. */
export interface CommandContext extends Omit<Infrastructure, 'logger'> {
  readonly print: (line: string) => void;
}

/** The command refuses to act. The message says why and what to do. */
export class CommandRefusedError extends Error {
  override readonly name = 'CommandRefusedError';
}

/**
 * Finds a chain by its name.
 *
 * @throws CommandRefusedError
 */
export function chainByName({ chains }: CommandContext, name: string): BridgeChain {
  if (name === 'ethereum' || name === 'partner') return chains[name];
  throw new CommandRefusedError(`There is no chain named ${name}: use ethereum or partner`);
}

/**
 * Finds a chain by its id.
 *
 * @throws CommandRefusedError
 */
export function chainById({ chains }: CommandContext, id: number): BridgeChain {
  const found = eachChain(chains).find(({ chainId }) => chainId === id);
  if (found === undefined) throw new CommandRefusedError(`Chain ${id} is not one of the two configured chains`);
  return found;
}

/** Parses an operation id. Null when it is not 32 bytes of hex. */
export function parseOperationId(text: string): Operation['id'] | null {
  return isHash(text) ? (text.toLowerCase() as Hex) : null;
}
