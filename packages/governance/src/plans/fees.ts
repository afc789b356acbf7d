import type { PublicClient } from 'viem';
import { bridgeMintAbi } from '@causeway/contracts/abi';
import { formatWithUnit, formatRate } from '../amounts.js';
import { assetInfo, type Asset } from '@causeway/contracts/assets';
import { getToken, type AddressBook } from '@causeway/contracts/address-book';
import {
  formatChange,
  clientOn,
  getContracts,
  planChange,
  type AdminCall,
  type Clients,
  type PlannedCalls,
  type Values,
} from '../calls/calls.js';

/** The fee policy of an asset, or its ceiling. Amounts are in atomic units. */
export interface FeePolicy {
  /** Rate in basis points, 0 to 9,999. */
  readonly bps: number;
  readonly minFee: bigint;
  readonly minAmount: bigint;
}

/** The call that sets the fee policy of an asset for later withdrawals. */
export function feePolicyCall(book: AddressBook, asset: Asset, policy: FeePolicy): AdminCall {
  const { mint } = getContracts(book);
  return {
    ...mint,
    functionName: 'setFeePolicy',
    args: [getToken(book, 'partner', asset), policy],
    role: 'policyManager',
    effect: async (client) => ({
      before: shownFees(asset, await readFees(client, book, asset, 'feePolicy')),
      after: shownFees(asset, policy),
    }),
  };
}

/** Sets the fee policy of an asset for later withdrawals. */
export async function setFeePolicy(
  book: AddressBook,
  asset: Asset,
  policy: FeePolicy,
  clients: Clients,
): Promise<PlannedCalls> {
  const call = feePolicyCall(book, asset, policy);
  return planChange(await clientOn(clients, call), call, `fee policy of ${asset} in BridgeMint`);
}

/** Bounds the fee policy of an asset. Policy values above the new ceiling are lowered to it. */
export async function setFeeCeiling(
  book: AddressBook,
  asset: Asset,
  ceiling: FeePolicy,
  clients: Clients,
): Promise<PlannedCalls> {
  const { mint } = getContracts(book);
  const client = await clientOn(clients, mint);
  const current = await readFees(client, book, asset, 'feeCeiling');
  const policy = await readFees(client, book, asset, 'feePolicy');
  const lowered = lowerTo(ceiling, policy);
  const call: AdminCall = {
    ...mint,
    functionName: 'setFeeCeiling',
    args: [getToken(book, 'partner', asset), ceiling],
    role: 'admin',
    effect: async (reader) => {
      const before = await readFees(reader, book, asset, 'feePolicy');
      const bound = await readFees(reader, book, asset, 'feeCeiling');
      return {
        before: { ...shownFees(asset, bound, 'highest '), ...shownFees(asset, before) },
        after: { ...shownFees(asset, ceiling, 'highest '), ...shownFees(asset, lowerTo(ceiling, before)) },
      };
    },
  };
  return {
    calls: isSame(current, ceiling) ? [] : [call],
    changes: [
      `fee ceiling of ${asset} in BridgeMint`,
      ...formatChanges(asset, current, ceiling),
      ...(isSame(policy, lowered) ? [] : [`lowers the fee policy too`, ...formatChanges(asset, policy, lowered)]),
    ],
  };
}

/** Lowers the fee ceiling of an asset to the cost of a release, so that small holders can leave. Never raises it. */
export async function lowerFeeCeiling(
  book: AddressBook,
  asset: Asset,
  releaseCost: bigint,
  clients: Clients,
): Promise<PlannedCalls> {
  const client = await clientOn(clients, getContracts(book).mint);
  // A withdrawal of the minimum must deliver something.
  const minAmount = releaseCost + assetInfo(asset).granularity;
  const ceiling = lowerTo(
    { bps: 0, minFee: releaseCost, minAmount },
    await readFees(client, book, asset, 'feeCeiling'),
  );
  return setFeeCeiling(book, asset, ceiling, clients);
}

/** The policy after lowering it to a ceiling. */
function lowerTo(ceiling: FeePolicy, policy: FeePolicy): FeePolicy {
  const least = (one: bigint, other: bigint) => (one < other ? one : other);
  return {
    bps: Math.min(policy.bps, ceiling.bps),
    minFee: least(policy.minFee, ceiling.minFee),
    minAmount: least(policy.minAmount, ceiling.minAmount),
  };
}

async function readFees(
  client: PublicClient,
  book: AddressBook,
  asset: Asset,
  functionName: 'feePolicy' | 'feeCeiling',
): Promise<FeePolicy> {
  const [bps, minFee, minAmount] = await client.readContract({
    address: book.partner.bridgeMint,
    abi: bridgeMintAbi,
    functionName,
    args: [getToken(book, 'partner', asset)],
  });
  return { bps, minFee, minAmount };
}

function isSame(one: FeePolicy, other: FeePolicy): boolean {
  return one.bps === other.bps && one.minFee === other.minFee && one.minAmount === other.minAmount;
}

function formatChanges(asset: Asset, before: FeePolicy, after: FeePolicy): readonly string[] {
  const [shownBefore, shownAfter] = [shownFees(asset, before), shownFees(asset, after)];
  return Object.entries(shownAfter).map(([name, value]) => formatChange(name, shownBefore[name] ?? '', value));
}

function shownFees(asset: Asset, { bps, minFee, minAmount }: FeePolicy, prefix = ''): Values {
  return {
    [`${prefix}rate`]: formatRate(bps),
    [`${prefix}minimum fee`]: formatWithUnit(asset, minFee),
    [`${prefix}minimum amount`]: formatWithUnit(asset, minAmount),
  };
}
