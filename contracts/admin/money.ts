import { isAddressEqual, type Address } from 'viem';
import { bridgedTokenAbi, bridgeMintAbi } from '../generated/abi.js';
import { formatAmount, type Asset } from '../cli/amounts.js';
import type { AddressBook } from '../deploy/address-book.js';
import type { ChainName } from '../deploy/chains.js';
import {
  changeOf,
  clientOn,
  contractOn,
  contractsOf,
  readsOf,
  tokenOf,
  type Clients,
  type PlannedCalls,
} from './calls.js';

/** Sends the accrued fees of an asset to the treasury. Anyone may do that. */
export async function collectFees(book: AddressBook, asset: Asset, clients: Clients): Promise<PlannedCalls> {
  const { lock } = contractsOf(book);
  const token = tokenOf(book, 'ethereum', asset);
  const client = await clientOn(clients, lock);
  const fees = await client.readContract({ ...readsOf(lock), functionName: 'feesAccrued', args: [token] });
  const treasury = await client.readContract({ ...readsOf(lock), functionName: 'treasury' });
  return {
    calls: [{ ...lock, functionName: 'collectFees', args: [token], role: 'anyone' }],
    changes: [
      `fees of ${asset} in BridgeLock: ${formatAmount(fees, asset)} -> 0 ${asset}, paid to the treasury ${treasury}`,
    ],
  };
}

/**
 * Burns bridged tokens that a relayer wallet holds, without a payment for them.
 *
 * @param formerWallet a relayer wallet from before a rotation; left out, the current one's tokens are burnt.
 */
export async function retire(
  book: AddressBook,
  { asset, amount, formerWallet }: { asset: 'ETH' | 'USDC'; amount: bigint; formerWallet?: Address },
  clients: Clients,
): Promise<PlannedCalls> {
  const { mint } = contractsOf(book);
  const client = await clientOn(clients, mint);
  const token = tokenOf(book, 'partner', asset);
  const wallet = formerWallet ?? (await client.readContract({ ...readsOf(mint), functionName: 'relayer' }));
  const held = await client.readContract({
    address: token,
    abi: bridgedTokenAbi,
    functionName: 'balanceOf',
    args: [wallet],
  });
  const call =
    formerWallet === undefined
      ? { functionName: 'retire', args: [token, amount] }
      : { functionName: 'retireOf', args: [formerWallet, token, amount] };
  return {
    calls: [{ ...mint, ...call, role: 'relayer' }],
    changes: [`retires ${formatAmount(amount, asset)} of the ${formatAmount(held, asset)} that ${wallet} holds`],
  };
}

/** Moves the credit of an account that can never receive to another account, which may then claim it. */
export async function redirectCredit(
  book: AddressBook,
  terms: { readonly chain: ChainName; readonly asset: Asset; readonly account: Address; readonly to: Address },
  clients: Clients,
): Promise<PlannedCalls> {
  const { chain, asset, account, to } = terms;
  const contract = contractOn(book, chain);
  const client = await clientOn(clients, contract);
  const token = tokenOf(book, chain, asset);
  const creditOf = async (holder: Address) =>
    client.readContract({ ...readsOf(contract), functionName: 'claimable', args: [token, holder] });
  const credit = await creditOf(account);
  if (credit === 0n) throw new Error(`${account} has no credit of ${asset} in ${contract.contract} on ${chain}`);
  if (isAddressEqual(account, to))
    throw new Error('The credit would stay where it is: --account and --to are the same');
  const before = await creditOf(to);
  return {
    calls: [{ ...contract, functionName: 'redirectCredit', args: [token, account, to], role: 'admin' }],
    changes: [
      `credits of ${asset} in ${contract.contract} on ${chain}`,
      changeOf(account, formatAmount(credit, asset), formatAmount(0n, asset)),
      changeOf(to, formatAmount(before, asset), formatAmount(before + credit, asset)),
    ],
  };
}

/**
 * Adds native coin to a contract: ETH to the collateral of BridgeLock, XCN to the float of BridgeMint.
 *
 * @throws Error when the amount of XCN cannot exist inside the EVM of the partner chain.
 */
export async function topUp(
  book: AddressBook,
  { chain, amount }: { readonly chain: ChainName; readonly amount: bigint },
  clients: Clients,
): Promise<PlannedCalls> {
  const contract = contractOn(book, chain);
  const client = await clientOn(clients, contract);
  const asset = chain === 'ethereum' ? 'ETH' : 'XCN';
  const unit = BigInt(book.partner.nativeUnit);
  if (asset === 'XCN' && amount % unit !== 0n) {
    throw new Error(`The amount must be a multiple of ${formatAmount(unit, 'XCN')}, the unit of the partner chain`);
  }
  const before =
    asset === 'ETH'
      ? await client.readContract({ ...readsOf(contract), functionName: 'locked', args: [tokenOf(book, chain, asset)] })
      : await client.readContract({ address: contract.bridge, abi: bridgeMintAbi, functionName: 'float' });
  const name = asset === 'ETH' ? 'collateral of ETH in BridgeLock' : 'float of XCN in BridgeMint';
  return {
    calls: [{ ...contract, functionName: 'topUp', args: [], value: amount, role: 'anyone' }],
    changes: [changeOf(name, formatAmount(before, asset), formatAmount(before + amount, asset)).trimStart()],
  };
}
