import { isAddressEqual, type Abi, type Address, type PublicClient } from 'viem';
import { adminTimelockAbi, bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '@causeway/contracts/abi';
import type { AddressBook } from '@causeway/contracts/address-book';
import type { ChainName } from '@causeway/contracts/deploy';

/** The account that may make a call: the holder of a role, the relayer, any office of the timelock, or anyone. */
type Role = 'admin' | 'guardian' | 'pauser' | 'policyManager' | 'relayer' | 'office' | 'anyone';

/** The offices of an admin's timelock, in the order of `Office` of IOffices. */
export const OFFICES = ['owner', 'guardian', 'recovery'] as const;
/** An office of an admin's timelock. */
export type Office = (typeof OFFICES)[number];

/** One call to a bridge contract, to its Sentinel, or to the timelock whose offices govern it. */
export interface AdminCall {
  readonly chain: ChainName;
  /** The chain id that the node must report. */
  readonly chainId: number;
  /** The bridge contract that holds the roles. */
  readonly bridge: Address;
  /** The guardian of that contract. */
  readonly sentinel: Address;
  readonly contract: 'BridgeLock' | 'BridgeMint' | 'Sentinel' | 'AdminTimelock';
  readonly to: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args: readonly unknown[];
  /** Native coin to send, in wei; none by default. */
  readonly value?: bigint;
  readonly role: Role;
  readonly effect: Effect;
}

/** Values of a contract by name, formatted for display. */
export type Values = Readonly<Record<string, string>>;

/** Reads the values that a call changes: the current ones, and those that its arguments set. */
export type Effect = (client: PublicClient) => Promise<{ readonly before: Values; readonly after: Values }>;

/** A contract, with the fields that all calls to it share. */
export type CalledContract = Pick<AdminCall, 'chain' | 'chainId' | 'bridge' | 'sentinel' | 'contract' | 'to' | 'abi'>;

/** The calls of a command, and their changes as lines for the operator. */
export interface PlannedCalls {
  readonly calls: readonly AdminCall[];
  readonly changes: readonly string[];
}

/** A call would do harm or have no effect. The message says what to do first. */
export class PlanRefusedError extends Error {
  override readonly name = 'PlanRefusedError';
  readonly docsPath = 'operate/reference.md#admin-commands';
}

/** Clients of the chains for which a node was given. */
export type Clients = Readonly<Partial<Record<ChainName, PublicClient>>>;

/**
 * Plans one call, unless it would change nothing.
 *
 * @param title heading of the lines of changes.
 */
export async function planChange(client: PublicClient, call: AdminCall, title: string): Promise<PlannedCalls> {
  const { before, after } = await call.effect(client);
  const isSame = Object.entries(after).every(([name, value]) => before[name] === value);
  const lines = Object.entries(after).map(([name, value]) => formatChange(name, before[name] ?? '', value));
  return { calls: isSame ? [] : [call], changes: [title, ...lines] };
}

/** Both bridge contracts. */
export function getContracts(book: AddressBook): Readonly<Record<'lock' | 'mint', CalledContract>> {
  const { ethereum, partner } = book;
  return {
    lock: {
      chain: 'ethereum',
      chainId: ethereum.chainId,
      bridge: ethereum.bridgeLock,
      sentinel: ethereum.sentinel,
      contract: 'BridgeLock',
      to: ethereum.bridgeLock,
      abi: bridgeLockAbi,
    },
    mint: {
      chain: 'partner',
      chainId: partner.chainId,
      bridge: partner.bridgeMint,
      sentinel: partner.sentinel,
      contract: 'BridgeMint',
      to: partner.bridgeMint,
      abi: bridgeMintAbi,
    },
  };
}

/** The bridge contract of a chain. */
export function contractOn(book: AddressBook, chain: ChainName): CalledContract {
  const { lock, mint } = getContracts(book);
  return chain === 'ethereum' ? lock : mint;
}

/** The bridge contracts for which a node was given, each with its client. */
export async function namedContracts(
  book: AddressBook,
  clients: Clients,
): Promise<readonly { readonly contract: CalledContract; readonly client: PublicClient }[]> {
  const named = [];
  for (const contract of Object.values(getContracts(book))) {
    if (clients[contract.chain] !== undefined) named.push({ contract, client: await clientOn(clients, contract) });
  }
  return named;
}

/** Plans a change of every contract for which a node was given. */
export async function planEach(
  book: AddressBook,
  clients: Clients,
  plan: (contract: CalledContract, client: PublicClient) => Promise<PlannedCalls>,
): Promise<PlannedCalls> {
  const planned = [];
  for (const { contract, client } of await namedContracts(book, clients)) planned.push(await plan(contract, client));
  return { calls: planned.flatMap(({ calls }) => calls), changes: planned.flatMap(({ changes }) => changes) };
}

/** The Sentinel of a bridge contract. */
export function getSentinel({ sentinel, ...rest }: CalledContract): CalledContract {
  return { ...rest, sentinel, contract: 'Sentinel', to: sentinel, abi: sentinelAbi };
}

/**
 * The timelock whose offices govern a bridge contract: its Sentinel reads them.
 *
 * @throws PlanRefusedError when the Sentinel is not the guardian, or reads the offices of a timelock that is not the
 * admin.
 */
export async function readTimelock(client: PublicClient, contract: CalledContract): Promise<CalledContract> {
  const { sentinel, chain } = contract;
  const bridge = getViewParameters(contract);
  const [guardian, admin, to] = await Promise.all([
    client.readContract({ ...bridge, functionName: 'guardian' }),
    client.readContract({ ...bridge, functionName: 'owner' }),
    client.readContract({ address: sentinel, abi: sentinelAbi, functionName: 'timelock' }),
  ]);
  const of = `the guardian of ${contract.contract} on ${chain}`;
  if (!isAddressEqual(guardian, sentinel)) {
    throw new PlanRefusedError(
      `${of} is ${guardian}, but ${sentinel} in the address book: use the current address book`,
    );
  }
  // In a local deployment without an owner, the admin is an account.
  if (!isAddressEqual(admin, to) && (await client.getCode({ address: admin }))) {
    throw new PlanRefusedError(
      `${of} reads the offices of ${to}, but the admin is ${admin}: set a Sentinel of that admin as guardian`,
    );
  }
  return { ...contract, contract: 'AdminTimelock', to, abi: adminTimelockAbi };
}

/** The accounts of the offices of a timelock. */
export async function readOffices(
  client: PublicClient,
  timelock: Address,
): Promise<readonly { readonly office: Office; readonly account: Address }[]> {
  const view = { address: timelock, abi: adminTimelockAbi } as const;
  const read = async (office: Office) => ({
    office,
    account: await client.readContract({ ...view, functionName: office }),
  });
  return Promise.all(OFFICES.map(read));
}

/** The parameters for reading a bridge contract. Both contracts have the views of IBridgeGovernance and IBridgeBase. */
export function getViewParameters({ bridge }: Pick<CalledContract, 'bridge'>) {
  return { address: bridge, abi: bridgeLockAbi } as const;
}

/** The other chain of the bridge. */
export function otherChain(chain: ChainName): ChainName {
  return chain === 'ethereum' ? 'partner' : 'ethereum';
}

/**
 * Checks a node's chain id before any other request.
 *
 * @returns the client.
 * @throws Error without a client, or when the node serves another chain; viem's errors when the node does not answer.
 */
export async function clientOn(
  clients: Clients,
  { chain, chainId }: Pick<AdminCall, 'chain' | 'chainId'>,
): Promise<PublicClient> {
  const client = clients[chain];
  if (client === undefined) throw new Error(`No node for the ${chain} chain: give --${chain}-rpc <url>`);
  const found = await client.getChainId();
  if (found !== chainId)
    throw new Error(`The ${chain} node serves chain ${found}, but the address book is for chain ${chainId}`);
  return client;
}

/** Formats a value before and after a change as one line. */
export function formatChange(name: string, before: string, after: string): string {
  return before === after ? `  ${name}: ${before} (unchanged)` : `  ${name}: ${before} -> ${after}`;
}
