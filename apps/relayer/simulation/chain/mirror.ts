import {
  agreeingMirrors,
  internalTransfers,
  MirrorUnavailableError,
  type Mirror,
  type MirrorAction,
  type MirrorAnswer,
  type MirrorSource,
} from '@causeway/chain';
import type { Address, Hex } from 'viem';
import type { Step } from '../step.ts';
import type { Message } from './evm.ts';
import type { SimulatedChain } from './simulated-chain.ts';

/** The current faults of a mirror. */
export interface MirrorFaults {
  readonly isAway: boolean;
  /** How many of the newest blocks the mirror lacks. */
  readonly lagBlocks: number;
  /** Replaces the messages of a transaction. */
  readonly lie: ((actions: readonly MirrorAction[], txHash: Hex) => readonly MirrorAction[]) | null;
}

export const HONEST_MIRROR: MirrorFaults = { isAway: false, lagBlocks: 0, lie: null };

/** A mirror of a chain, shared by all processes. Its faults can change at any time. */
export class SimulatedMirror {
  faults = HONEST_MIRROR;
  readonly name: string;
  private readonly chain: SimulatedChain;

  constructor(name: string, chain: SimulatedChain) {
    this.name = name;
    this.chain = chain;
  }

  /**
   * Finds internal payments, with the relayer's own code for call trees.
   *
   * @throws MirrorUnavailableError
   */
  transfersIn(txHash: Hex, receivers: ReadonlySet<Address>): MirrorAnswer {
    this.assertReachable();
    const { lagBlocks, lie } = this.faults;
    const place = this.chain.place(txHash);
    const mined = place?.block.mined[place.index];
    if (place === undefined || mined === undefined || place.block.number > this.chain.head.number - lagBlocks)
      return { kind: 'missing', reason: `${this.name} does not have the transaction yet` };
    const actions = mined.messages.map(toAction);
    return { kind: 'found', transfers: internalTransfers(lie === null ? actions : lie(actions, txHash), receivers) };
  }

  /** @throws MirrorUnavailableError */
  assertReachable(): void {
    if (this.faults.isAway) throw new MirrorUnavailableError([`${this.name}: connection refused`]);
  }
}

/** The mirrors as a process sees them, with the relayer's own agreement among them. */
export function simulatedMirrors(mirrors: readonly SimulatedMirror[], step: Step): Mirror {
  return agreeingMirrors(
    mirrors.map((mirror): MirrorSource => ({
      transfersIn: (txHash, receivers) => step(`${mirror.name} actions`, () => mirror.transfersIn(txHash, receivers)),
      ping: () => step(`${mirror.name} ping`, () => mirror.assertReachable()),
      status: () => ({ name: mirror.name, throttled: 0 }),
    })),
  );
}

function toAction({ depth, from, to, value, input, succeeded }: Message, index: number): MirrorAction {
  return {
    index,
    call_depth: depth,
    call_operation_type: 'CALL',
    from,
    to,
    value,
    input,
    result_data_type: succeeded ? 'OUTPUT' : 'REVERT_REASON',
  };
}
