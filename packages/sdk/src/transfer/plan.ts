import type { ConfigResponse } from '@causeway/protocol';
import { bytesToHex, zeroAddress, type Address, type Hex } from 'viem';
import { findAsset } from '../amount.js';
import { RECORD_VERSION, type Step, type TransferKind, type TransferRecord } from '../record/record.js';
import { sealRecord } from '../record/record-form.js';

/** The terms of a new transfer, in atomic units. */
export interface PlannedTerms {
  readonly kind: TransferKind;
  readonly asset: string;
  readonly amount: bigint;
  readonly maxFee: bigint;
  readonly sender: Address;
  readonly recipient: Address;
  /** The newest block at the beginning. */
  readonly fromBlock: bigint;
}

/** Chain, contract and token of an asset on one side. */
export interface Place {
  readonly chainId: number;
  readonly contract: Address;
  readonly token: Address;
}

/** Returns 32 random bytes for an id or a salt. */
export function pickRandom(): Hex {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(32)));
}

/** @throws InvalidInputError for an unknown asset. */
export function findPlace(config: ConfigResponse, side: 'ethereum' | 'partner', asset: string): Place {
  const { address: token } = findAsset(config, side, asset);
  const contract = side === 'ethereum' ? config.ethereum.bridgeLock : config.partner.bridgeMint;
  return { chainId: config[side].chainId, contract, token };
}

/** Creates the record of a new transfer. */
export function planTransfer(
  config: ConfigResponse,
  place: Place,
  terms: PlannedTerms,
  steps: readonly Step[],
): TransferRecord {
  const { kind, asset, sender, recipient } = terms;
  return sealRecord({
    version: RECORD_VERSION,
    id: pickRandom(),
    revision: 0,
    environment: config.environment,
    kind,
    asset,
    amount: `${terms.amount}`,
    maxFee: `${terms.maxFee}`,
    sender,
    recipient,
    ...place,
    fromBlock: `${terms.fromBlock}`,
    createdAt: new Date().toISOString(),
    steps,
  });
}

/** Returns whether a place is that of a native coin. */
export function isCoin({ token }: Place): boolean {
  return token === zeroAddress;
}
