import type { Address, Hex } from 'viem';
import { readInteger, readHex, type DecodedEvent } from '../blocks/events.js';
import type { Side } from '../nodes/finality.js';
import type { PlacedLog } from '../nodes/quorum-reader.js';
import type { Finding } from './finding.js';

/** What allowed a change of trust. */
export type TrustBasis = 'ANNOUNCED' | 'VOTED' | 'GUARDIAN' | 'DEPLOYMENT' | 'POLICY' | 'UNANNOUNCED';

/** A change of a key, a set, an office or a setting. */
export interface TrustChange {
  readonly side: Side;
  readonly contract: Address;
  /** The event. */
  readonly name: string;
  /** Its fields. */
  readonly text: string;
  readonly blockNumber: bigint;
  readonly transactionHash: Hex;
  /** The block of its announcement. */
  readonly announcedAt: bigint | null;
  readonly how: TrustBasis;
}

/** The changes of trust of both chains. */
export class TrustBooks {
  readonly changes: readonly TrustChange[] = [];
  readonly findings: readonly Finding[] = [];

  apply(_side: Side, _contract: Address, event: DecodedEvent, _log: PlacedLog): void {
    void [readInteger, readHex, event];
  }

  watched(_side: Side): readonly Address[] {
    return [];
  }

  fork(): TrustBooks {
    return this;
  }
}
