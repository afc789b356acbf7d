import { keccak256, toHex, type Address, type Hex } from 'viem';
import type { FinalDelivery, OperationTerms, ScannedBlock, ScannedEvent, SignedTransaction } from '../src/index.js';

// Test data: every builder makes a plausible whole from the few things a test cares about.

export const ETHEREUM = 31_337;
export const PARTNER = 8_901;

let counter = 0;

/** A hash that no other call has made. */
export function aHash(): Hex {
  counter += 1;
  return keccak256(toHex(counter));
}

/** An address that no other call has made, or the one of a name. */
export function anAddress(name = `address ${counter++}`): Address {
  return keccak256(toHex(name)).slice(0, 42) as Address;
}

export function aDeposit(over: Partial<OperationTerms> = {}): OperationTerms {
  const amount = over.amount ?? 1_000n;
  return {
    id: aHash(),
    kind: 'DEPOSIT',
    direction: 'ETHEREUM_TO_PARTNER',
    asset: 'USDC',
    amount,
    fee: 0n,
    feeBps: 0,
    outputAmount: amount,
    sender: anAddress(),
    recipient: anAddress(),
    originChainId: ETHEREUM,
    destinationChainId: PARTNER,
    originNonce: BigInt(counter),
    requiredConfirmations: 12,
    ...over,
  };
}

export function aBurn(over: Partial<OperationTerms> = {}): OperationTerms {
  return aDeposit({
    kind: 'BURN',
    direction: 'PARTNER_TO_ETHEREUM',
    fee: 10n,
    feeBps: 25,
    outputAmount: 990n,
    originChainId: PARTNER,
    destinationChainId: ETHEREUM,
    requiredConfirmations: 6,
    ...over,
  });
}

export function anIntent(over: Partial<OperationTerms> = {}): OperationTerms {
  return aBurn({ kind: 'INTENT', asset: 'XCN', originNonce: null, ...over });
}

/** The event that begins an operation. */
export function opening(terms: OperationTerms, logIndex = 0): ScannedEvent {
  const name = terms.kind === 'DEPOSIT' ? 'Deposit' : 'Withdraw';
  return { txHash: aHash(), logIndex, name, operationId: terms.id, args: {}, opens: terms };
}

export function aBlock(number: bigint, over: Partial<ScannedBlock> = {}): ScannedBlock {
  return {
    number,
    hash: aHash(),
    timestamp: new Date(1_800_000_000_000 + Number(number) * 1_000),
    events: [],
    transfers: [],
    ...over,
  };
}

export function aSignature(nonce: bigint): SignedTransaction {
  return { hash: aHash(), raw: '0x02', nonce, gas: 21_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n };
}

/** The event that a destination chain shows when an operation is paid. */
export function paying({ id, direction }: OperationTerms, txHash = aHash()): ScannedEvent {
  const name = direction === 'ETHEREUM_TO_PARTNER' ? 'Mint' : 'Release';
  return { txHash, logIndex: 0, name, operationId: id, args: {} };
}

/** The delivery that the only event of a block makes. */
export function aDelivery(chainId: number, { events: [event], ...block }: ScannedBlock): FinalDelivery {
  if (event === undefined) throw new Error('A block without an event delivers nothing');
  const { operationId, txHash, args } = event;
  const where = { chainId, txHash, blockNumber: block.number, blockHash: block.hash };
  return { operationId, ...where, settledAt: block.timestamp, claimable: false, args };
}
