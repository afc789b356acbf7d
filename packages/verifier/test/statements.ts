import { testAccount } from '@causeway/test-kit';
import type { Address, Hex } from 'viem';
import {
  readFinalHeaders,
  readReserves,
  reservesDigest,
  type ReservesStatement,
  type SignedReserves,
} from '../src/index.js';
import type { TestBridge } from './bridge.js';

const ATTESTER = testAccount(5);

/** The true statement of the newest final blocks. */
export async function makeStatement(bridge: TestBridge, previous: Hex): Promise<ReservesStatement> {
  const verifier = bridge.verifier();
  const pair = await readFinalHeaders(verifier);
  return {
    day: pair.partner.timestamp / 86_400n,
    previous,
    ethereumBlock: pair.ethereum.number,
    ethereumHash: pair.ethereum.hash,
    partnerBlock: pair.partner.number,
    partnerHash: pair.partner.hash,
    assets: await readReserves(verifier, pair),
  };
}

/** A statement as the attester of the tests signs it. */
export async function signStatement(bridge: TestBridge, statement: ReservesStatement): Promise<SignedReserves> {
  const signature = await ATTESTER.sign({ hash: reservesDigest(statement, bridge.settings.ethereum) });
  const attester = ATTESTER.address.toLowerCase() as Address;
  return { statement, setNumber: 1n, signatures: [{ attester, signature }] };
}
