import { isAddressEqual, type Address, type PublicClient } from 'viem';
import { bridgedTokenAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import { formatWithUnit } from '../amounts.js';
import { getCoin, type Asset } from '@causeway/contracts/assets';
import { getToken, type AddressBook } from '@causeway/contracts/address-book';
import type { ChainName } from '@causeway/contracts/deploy';
import {
  formatChange,
  clientOn,
  contractOn,
  getContracts,
  PlanRefusedError,
  getViewParameters,
  type AdminCall,
  type Clients,
  type Effect,
  type PlannedCalls,
} from '../calls/calls.js';

/** The call that sends the accrued fees of an asset to the treasury. Anyone may make it. */
export function collectFeesCall(book: AddressBook, asset: Asset): AdminCall {
  const { lock } = getContracts(book);
  const args = [getToken(book, 'ethereum', asset)] as const;
  const effect: Effect = async (client) => {
    const fees = await client.readContract({ ...getViewParameters(lock), functionName: 'feesAccrued', args });
    return { before: { fees: formatWithUnit(asset, fees) }, after: { fees: formatWithUnit(asset, 0n) } };
  };
  return { ...lock, functionName: 'collectFees', args, role: 'anyone', effect };
}

/** Sends the accrued fees of an asset to the treasury. */
export async function collectFees(book: AddressBook, asset: Asset, clients: Clients): Promise<PlannedCalls> {
  const call = collectFeesCall(book, asset);
  const client = await clientOn(clients, call);
  const { before } = await call.effect(client);
  const treasury = await client.readContract({ ...getViewParameters(call), functionName: 'treasury' });
  return {
    calls: [call],
    changes: [`fees of ${asset} in BridgeLock: ${before['fees']} -> 0 ${asset}, paid to the treasury ${treasury}`],
  };
}

/**
 * The tokens of a relayer wallet to burn. `formerWallet`: a wallet from before a rotation; the current one by default.
 */
interface RetireTerms {
  readonly asset: Asset;
  readonly amount: bigint;
  readonly formerWallet?: Address;
}

/** The call that burns bridged tokens of a relayer wallet without payment. */
export function retireCall(book: AddressBook, terms: RetireTerms): AdminCall {
  const { asset, amount, formerWallet } = terms;
  const { mint } = getContracts(book);
  const token = getToken(book, 'partner', asset);
  const effect: Effect = async (client) => {
    const { wallet, held } = await readHeld(client, book, terms);
    const name = `${asset} of ${wallet}`;
    return { before: { [name]: formatWithUnit(asset, held) }, after: { [name]: formatWithUnit(asset, held - amount) } };
  };
  const call =
    formerWallet === undefined
      ? { functionName: 'retire', args: [token, amount] }
      : { functionName: 'retireOf', args: [formerWallet, token, amount] };
  return { ...mint, ...call, role: 'relayer', effect };
}

/** Burns bridged tokens of a relayer wallet. */
export async function retire(book: AddressBook, terms: RetireTerms, clients: Clients): Promise<PlannedCalls> {
  const call = retireCall(book, terms);
  const { wallet, held } = await readHeld(await clientOn(clients, call), book, terms);
  const [amount, all] = [terms.amount, held].map((each) => formatWithUnit(terms.asset, each));
  return { calls: [call], changes: [`retires ${amount} of the ${all} that ${wallet} holds`] };
}

/** The relayer wallet, and its balance of the asset in atomic units. */
async function readHeld(client: PublicClient, book: AddressBook, { asset, formerWallet }: RetireTerms) {
  const { mint } = getContracts(book);
  const wallet = formerWallet ?? (await client.readContract({ ...getViewParameters(mint), functionName: 'relayer' }));
  const token = { address: getToken(book, 'partner', asset), abi: bridgedTokenAbi } as const;
  return { wallet, held: await client.readContract({ ...token, functionName: 'balanceOf', args: [wallet] }) };
}

/** Moves the credit of an account that can never receive to another account, which can then claim it. */
export async function redirectCredit(
  book: AddressBook,
  terms: { readonly chain: ChainName; readonly asset: Asset; readonly account: Address; readonly to: Address },
  clients: Clients,
): Promise<PlannedCalls> {
  const { chain, asset, account, to } = terms;
  const contract = contractOn(book, chain);
  const client = await clientOn(clients, contract);
  const token = getToken(book, chain, asset);
  const readCredit = async (holder: Address, reader = client) =>
    reader.readContract({ ...getViewParameters(contract), functionName: 'claimable', args: [token, holder] });
  const credit = await readCredit(account);
  if (credit === 0n)
    throw new PlanRefusedError(`${account} has no ${asset} credit in ${contract.contract} on ${chain}`);
  if (isAddressEqual(account, to))
    throw new PlanRefusedError('The credit would not move: --account and --to are the same account');
  const before = await readCredit(to);
  const effect: Effect = async (reader) => {
    const [moved, held] = [await readCredit(account, reader), await readCredit(to, reader)];
    const shown = (from: bigint, into: bigint) => ({
      [`credit of ${account}`]: formatWithUnit(asset, from),
      [`credit of ${to}`]: formatWithUnit(asset, into),
    });
    return { before: shown(moved, held), after: shown(0n, held + moved) };
  };
  return {
    calls: [{ ...contract, functionName: 'redirectCredit', args: [token, account, to], role: 'admin', effect }],
    changes: [
      `credits of ${asset} in ${contract.contract} on ${chain}`,
      formatChange(account, formatWithUnit(asset, credit), formatWithUnit(asset, 0n)),
      formatChange(to, formatWithUnit(asset, before), formatWithUnit(asset, before + credit)),
    ],
  };
}

/** Native coin for the contract of a chain, in wei. */
interface TopUpTerms {
  readonly chain: ChainName;
  readonly amount: bigint;
}

/**
 * The call that adds native coin to a contract: ETH to the collateral of BridgeLock, XCN to the float of BridgeMint.
 *
 * @throws PlanRefusedError when the partner chain's EVM cannot represent the amount of XCN.
 */
export function topUpCall(book: AddressBook, { chain, amount }: TopUpTerms): AdminCall {
  const contract = contractOn(book, chain);
  const asset = getCoin(chain);
  const unit = BigInt(book.partner.nativeUnit);
  if (asset === 'XCN' && amount % unit !== 0n) {
    throw new PlanRefusedError(
      `The amount must be a multiple of ${formatWithUnit('XCN', unit)}, the partner chain's unit`,
    );
  }
  const name = asset === 'ETH' ? 'collateral of ETH in BridgeLock' : 'float of XCN in BridgeMint';
  const args = [getToken(book, 'ethereum', 'ETH')] as const;
  const effect: Effect = async (client) => {
    const before =
      asset === 'ETH'
        ? await client.readContract({ ...getViewParameters(contract), functionName: 'locked', args })
        : await client.readContract({ address: contract.bridge, abi: bridgeMintAbi, functionName: 'float' });
    return {
      before: { [name]: formatWithUnit(asset, before) },
      after: { [name]: formatWithUnit(asset, before + amount) },
    };
  };
  return { ...contract, functionName: 'topUp', args: [], value: amount, role: 'anyone', effect };
}

/** Adds native coin to a contract. */
export async function topUp(book: AddressBook, terms: TopUpTerms, clients: Clients): Promise<PlannedCalls> {
  const call = topUpCall(book, terms);
  const { before, after } = await call.effect(await clientOn(clients, call));
  return {
    calls: [call],
    changes: Object.entries(after).map(([name, value]) => formatChange(name, before[name] ?? '', value).trimStart()),
  };
}
