import { bridgeLockAbi, bridgeMintAbi } from '../generated/abi.js';
import type { AddressBook } from '../deploy/address-book.js';
import type { ChainName } from '../deploy/chains.js';
import { formatAmount, formatDuration, formatRate, type Asset } from './amounts.js';
import { clientOn, contractsOf, tokenOf, type Clients, type PlannedCalls } from './calls.js';

/** The fee policy of an asset. Amounts are in atomic units. */
interface FeePolicy {
  /** Rate in basis points, 0 to 9,999. */
  readonly bps: number;
  readonly minFee: bigint;
  readonly minAmount: bigint;
}

/** The outflow limit of an asset. */
interface OutflowLimit {
  /** Atomic units, of at most 12 significant digits. */
  readonly capacity: bigint;
  /** Seconds in which a used-up capacity refills. */
  readonly windowSeconds: number;
}

/** Sets the fee policy of an asset for withdrawals that begin from now on. */
export async function setFeePolicy(
  book: AddressBook,
  asset: Asset,
  policy: FeePolicy,
  clients: Clients,
): Promise<PlannedCalls> {
  const { mint } = contractsOf(book);
  const token = tokenOf(book, 'partner', asset);
  const client = await clientOn(clients, mint);
  const read = { address: mint.to, abi: bridgeMintAbi, functionName: 'feePolicy', args: [token] } as const;
  const [bps, minFee, minAmount] = await client.readContract(read);
  const args = [token, policy.bps, policy.minFee, policy.minAmount];
  const isSame = bps === policy.bps && minFee === policy.minFee && minAmount === policy.minAmount;
  return {
    calls: isSame ? [] : [{ ...mint, functionName: 'setFeePolicy', args, role: 'policyManager' }],
    changes: [
      `fee policy of ${asset} in BridgeMint`,
      changeOf('rate', formatRate(bps), formatRate(policy.bps)),
      changeOf('minimum fee', formatAmount(minFee, asset), formatAmount(policy.minFee, asset)),
      changeOf('minimum amount', formatAmount(minAmount, asset), formatAmount(policy.minAmount, asset)),
    ],
  };
}

/** Sets how fast an asset may leave the bridge contract of a chain. */
export async function setOutflowLimit(
  book: AddressBook,
  { chain, asset }: { readonly chain: ChainName; readonly asset: Asset },
  limit: OutflowLimit,
  clients: Clients,
): Promise<PlannedCalls> {
  const contract = chain === 'ethereum' ? contractsOf(book).lock : contractsOf(book).mint;
  const token = tokenOf(book, chain, asset);
  const client = await clientOn(clients, contract);
  // BridgeMint has the same function.
  const read = { address: contract.to, abi: bridgeLockAbi, functionName: 'outflowLimit', args: [token] } as const;
  const [capacity, windowSeconds] = await client.readContract(read);
  const args = [token, limit.capacity, limit.windowSeconds];
  const isSame = capacity === limit.capacity && windowSeconds === limit.windowSeconds;
  return {
    calls: isSame ? [] : [{ ...contract, functionName: 'setOutflowLimit', args, role: 'policyManager' }],
    changes: [
      `outflow limit of ${asset} in ${contract.contract} on ${chain}`,
      changeOf('capacity', formatAmount(capacity, asset), formatAmount(limit.capacity, asset)),
      changeOf('window', formatDuration(windowSeconds), formatDuration(limit.windowSeconds)),
    ],
  };
}

function changeOf(name: string, before: string, after: string): string {
  return before === after ? `  ${name}: ${before} (unchanged)` : `  ${name}: ${before} -> ${after}`;
}
