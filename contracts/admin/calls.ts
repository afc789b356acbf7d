import { zeroAddress, type Abi, type Address, type PublicClient } from 'viem';
import { bridgeLockAbi, bridgeMintAbi, bridgedTokenAbi } from '../generated/abi.js';
import type { AddressBook } from '../deploy/address-book.js';
import type { ChainName } from '../deploy/chains.js';
import { formatAmount, type Asset } from './amounts.js';

/** Who may make a call: the holder of a role, the relayer, or anyone. */
type Role = 'admin' | 'guardian' | 'policyManager' | 'relayer' | 'anyone';

/** One call to one bridge contract. */
export interface AdminCall {
  readonly chain: ChainName;
  /** The chain id that the node must report. */
  readonly chainId: number;
  readonly contract: 'BridgeLock' | 'BridgeMint';
  readonly to: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args: readonly unknown[];
  readonly role: Role;
}

/** The calls of a command, and what they change, in lines for the operator. */
export interface PlannedCalls {
  readonly calls: readonly AdminCall[];
  readonly changes: readonly string[];
}

/** Clients of the chains whose nodes were named. */
export type Clients = Readonly<Partial<Record<ChainName, PublicClient>>>;

/** Both bridge contracts, in the fields that every call to them has. */
export function contractsOf(
  book: AddressBook,
): Readonly<Record<'lock' | 'mint', Pick<AdminCall, 'chain' | 'chainId' | 'contract' | 'to' | 'abi'>>> {
  const { ethereum, partner } = book;
  return {
    lock: {
      chain: 'ethereum',
      chainId: ethereum.chainId,
      contract: 'BridgeLock',
      to: ethereum.bridgeLock,
      abi: bridgeLockAbi,
    },
    mint: {
      chain: 'partner',
      chainId: partner.chainId,
      contract: 'BridgeMint',
      to: partner.bridgeMint,
      abi: bridgeMintAbi,
    },
  };
}

/** The address under which a chain's bridge contract lists an asset. The native coin is the zero address. */
export function tokenOf(book: AddressBook, chain: ChainName, asset: Asset): Address {
  if (chain === 'ethereum') return asset === 'ETH' ? zeroAddress : book.ethereum.tokens[asset];
  return asset === 'XCN' ? zeroAddress : book.partner.tokens[asset];
}

/**
 * Checks the chain id of a node before anything else is asked or sent.
 *
 * @returns the client.
 * @throws Error without a client, or when the node is on another chain; viem's errors when the node does not answer.
 */
export async function clientOn(
  clients: Clients,
  { chain, chainId }: Pick<AdminCall, 'chain' | 'chainId'>,
): Promise<PublicClient> {
  const client = clients[chain];
  if (client === undefined) throw new Error(`No node of the chain ${chain}: name one by --${chain}-rpc`);
  const found = await client.getChainId();
  if (found !== chainId) throw new Error(`The ${chain} node is on chain ${found}, the address book on ${chainId}`);
  return client;
}

/** Sends the accrued fees of an asset to the treasury. Anyone may do that. */
export async function collectFees(book: AddressBook, asset: Asset, clients: Clients): Promise<PlannedCalls> {
  const { lock } = contractsOf(book);
  const token = tokenOf(book, 'ethereum', asset);
  const client = await clientOn(clients, lock);
  const read = { address: lock.to, abi: bridgeLockAbi } as const;
  const fees = await client.readContract({ ...read, functionName: 'feesAccrued', args: [token] });
  const treasury = await client.readContract({ ...read, functionName: 'treasury' });
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
  const wallet =
    formerWallet ?? (await client.readContract({ address: mint.to, abi: bridgeMintAbi, functionName: 'relayer' }));
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
