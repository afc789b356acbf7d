import { bridgeMintAbi } from '../generated/abi.js';
import { formatAmount, formatRate, type Asset } from '../cli/amounts.js';
import type { AddressBook } from '../deploy/address-book.js';
import { changeOf, clientOn, contractsOf, tokenOf, type Clients, type PlannedCalls } from './calls.js';

/** The fee policy of an asset, or its ceiling. Amounts are in atomic units. */
export interface FeePolicy {
  /** Rate in basis points, 0 to 9,999. */
  readonly bps: number;
  readonly minFee: bigint;
  readonly minAmount: bigint;
}

/** Sets the fee policy of an asset for withdrawals that begin from now on. */
export async function setFeePolicy(
  book: AddressBook,
  asset: Asset,
  policy: FeePolicy,
  clients: Clients,
): Promise<PlannedCalls> {
  const { mint } = contractsOf(book);
  const current = await readFees(book, asset, 'feePolicy', clients);
  const args = [tokenOf(book, 'partner', asset), policy];
  return {
    calls: isSame(current, policy) ? [] : [{ ...mint, functionName: 'setFeePolicy', args, role: 'policyManager' }],
    changes: [`fee policy of ${asset} in BridgeMint`, ...changesOf(asset, current, policy)],
  };
}

/** Bounds the fee policy of an asset. Values of the policy that are above the new ceiling fall to it. */
export async function setFeeCeiling(
  book: AddressBook,
  asset: Asset,
  ceiling: FeePolicy,
  clients: Clients,
): Promise<PlannedCalls> {
  const { mint } = contractsOf(book);
  const current = await readFees(book, asset, 'feeCeiling', clients);
  const policy = await readFees(book, asset, 'feePolicy', clients);
  const least = (one: bigint, other: bigint) => (one < other ? one : other);
  const lowered = {
    bps: Math.min(policy.bps, ceiling.bps),
    minFee: least(policy.minFee, ceiling.minFee),
    minAmount: least(policy.minAmount, ceiling.minAmount),
  };
  const args = [tokenOf(book, 'partner', asset), ceiling];
  return {
    calls: isSame(current, ceiling) ? [] : [{ ...mint, functionName: 'setFeeCeiling', args, role: 'admin' }],
    changes: [
      `fee ceiling of ${asset} in BridgeMint`,
      ...changesOf(asset, current, ceiling),
      ...(isSame(policy, lowered) ? [] : [`the fee policy falls with it`, ...changesOf(asset, policy, lowered)]),
    ],
  };
}

async function readFees(
  book: AddressBook,
  asset: Asset,
  functionName: 'feePolicy' | 'feeCeiling',
  clients: Clients,
): Promise<FeePolicy> {
  const { mint } = contractsOf(book);
  const client = await clientOn(clients, mint);
  const args = [tokenOf(book, 'partner', asset)] as const;
  const [bps, minFee, minAmount] = await client.readContract({
    address: mint.bridge,
    abi: bridgeMintAbi,
    functionName,
    args,
  });
  return { bps, minFee, minAmount };
}

function isSame(one: FeePolicy, other: FeePolicy): boolean {
  return one.bps === other.bps && one.minFee === other.minFee && one.minAmount === other.minAmount;
}

function changesOf(asset: Asset, before: FeePolicy, after: FeePolicy): readonly string[] {
  return [
    changeOf('rate', formatRate(before.bps), formatRate(after.bps)),
    changeOf('minimum fee', formatAmount(before.minFee, asset), formatAmount(after.minFee, asset)),
    changeOf('minimum amount', formatAmount(before.minAmount, asset), formatAmount(after.minAmount, asset)),
  ];
}
