import type { Asset, Direction, StateResponse } from '@causeway/sdk';
import { CLOSED_WORDS, STATUS } from '../words/status.js';

/** Whether a transfer can begin. */
export interface DirectionAnswer {
  readonly open: boolean;
  /** Why not, in a sentence; null while open. */
  readonly reason: string | null;
  /** The API's sentence about the part that does not work; null if there is none. */
  readonly problem: string | null;
  /** When it opens again, ISO 8601 in UTC; null if unknown. */
  readonly until: string | null;
}

const OPEN: DirectionAnswer = { open: true, reason: null, problem: null, until: null };

/** Reads from the state whether transfers of an asset can begin. An unknown asset counts as open. Pure. */
export function readDirection(state: StateResponse, asset: Asset, direction: Direction): DirectionAnswer {
  const found = state.directions.find((each) => each.asset === asset && each.direction === direction);
  if (found === undefined || found.open) return OPEN;
  const { reason, until } = found;
  const words = reason === null ? undefined : (CLOSED_WORDS[reason] as string | undefined);
  return {
    open: false,
    // A newer API can have further reasons.
    reason: words ?? STATUS.directions.unknown(reason ?? ''),
    problem: findProblem(state, reason),
    until,
  };
}

function findProblem({ chains, relayer }: StateResponse, reason: string | null): string | null {
  if (reason === 'RELAYER_AWAY') return relayer.problem;
  return reason === 'CHAIN_AWAY' || reason === 'CHAIN_HALTED'
    ? (chains.ethereum.problem ?? chains.partner.problem)
    : null;
}
