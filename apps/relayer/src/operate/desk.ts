import type { Signer } from '@causeway/chain';
import type { Store } from '@causeway/store';
import type { Configuration } from '../config/configuration.js';
import type { BridgeChain, BridgeChains } from '../world/bridge-chain.js';

/** What a command of an operator works with. */
export interface Desk {
  readonly configuration: Configuration;
  readonly store: Store;
  readonly chains: BridgeChains;
  readonly signer: Signer;
  /** Prints a line. */
  readonly say: (line: string) => void;
}

/** A command cannot or must not do what was asked; the message says why and what to do. */
export class CommandRefusedError extends Error {
  override readonly name = 'CommandRefusedError';
}

/**
 * A chain by the name operators call it.
 *
 * @throws CommandRefusedError
 */
export function chainNamed(desk: Desk, name: string): BridgeChain {
  if (name === 'ethereum' || name === 'partner') return desk.chains[name];
  throw new CommandRefusedError(`A chain is called ethereum or partner, not ${name}`);
}
