import { InconsistentBlockError, type ChainConnection } from '@causeway/chain';
import { adminTimelockAbi, bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '@causeway/contracts/abi';
import { WITHOUT_END } from '@causeway/governance';
import { listAssets, getToken, type AddressBook, type Asset, type Side } from '@causeway/protocol';
import type { ContractsResponse } from '@causeway/protocol/admin';
import { zeroAddress, type Address, type PublicClient } from 'viem';

/** A pause of one side, active or not. */
export type PauseRow = ContractsResponse['pauses'][number];
type AssetRow = ContractsResponse['assets'][number];
type RoleRow = ContractsResponse['roles'][number];

/** The state of the contract of one side at a block. */
export interface ContractState {
  readonly number: bigint;
  readonly at: Date;
  /**
   * Unix seconds until which no operation can begin, whether deliveries are stopped, and the number of the last pause.
   */
  readonly pauses: readonly [until: bigint, areDeliveriesPaused: boolean, count: bigint];
  readonly assets: readonly AssetRow[];
  readonly roles: readonly RoleRow[];
  /** The timelock; null when the admin is an account without code. */
  readonly timelock: Address | null;
}

/**
 * Reads the contract of one side at the highest block that a quorum of nodes has reached. A quorum must agree on the
 * state.
 *
 * @throws QuorumError; InconsistentBlockError when the nodes change their branch meanwhile.
 */
export async function readContractState(
  connection: ChainConnection,
  book: AddressBook,
  side: Side,
): Promise<ContractState> {
  const head = await readHead(connection);
  const state = await connection.agree(async (client) => readAt(client, book, side, head.number));
  return { ...state, ...head };
}

/**
 * Like `readContractState`, for the pauses only.
 *
 * @throws QuorumError; InconsistentBlockError when the nodes change their branch meanwhile.
 */
export async function readPauses(connection: ChainConnection, book: AddressBook, side: Side): Promise<PauseRow[]> {
  const { number: blockNumber, at } = await readHead(connection);
  const contract = { address: getBridgeAddress(book, side), abi: bridgeLockAbi, blockNumber } as const;
  const pauses = await connection.agree((client) => client.readContract({ ...contract, functionName: 'pauses' }));
  return pauseRows(side, { at, pauses });
}

/** The time of the block is needed to tell an ended pause from an active one. */
export async function readHead(connection: ChainConnection): Promise<{ readonly number: bigint; readonly at: Date }> {
  const number = await connection.agreedHead();
  const block = await connection.agreedBlock(number);
  if (block === null) throw new InconsistentBlockError(number, 'the nodes that reported this block do not return it');
  return { number, at: new Date(Number(block.timestampSeconds) * 1_000) };
}

async function readAt(client: PublicClient, book: AddressBook, side: Side, blockNumber: bigint) {
  const address = getBridgeAddress(book, side);
  const bridge = { address, abi: bridgeLockAbi, blockNumber } as const;
  const [pauses, admin, assets, roles] = await Promise.all([
    client.readContract({ ...bridge, functionName: 'pauses' }),
    client.readContract({ ...bridge, functionName: 'owner' }),
    Promise.all(listAssets().map(async (asset) => readAsset(client, book, side, asset, blockNumber))),
    readRoles(client, address, side, blockNumber),
  ]);
  const timelock = await findTimelock(client, admin, blockNumber);
  const offices = await readOffices(client, book, side, blockNumber);
  return { pauses, assets, roles: [{ side, role: 'admin', address: lowered(admin) }, ...roles, ...offices], timelock };
}

/**
 * Reads the timelock that administers the contract of one side; null when its admin is an account without code.
 *
 * @throws QuorumError
 */
export async function readTimelock(
  connection: ChainConnection,
  book: AddressBook,
  side: Side,
  blockNumber: bigint,
): Promise<Address | null> {
  const bridge = { address: getBridgeAddress(book, side), abi: bridgeLockAbi, blockNumber } as const;
  return connection.agree(async (client) =>
    findTimelock(client, await client.readContract({ ...bridge, functionName: 'owner' }), blockNumber),
  );
}

async function findTimelock(client: PublicClient, admin: Address, blockNumber: bigint): Promise<Address | null> {
  const code = await client.getCode({ address: admin, blockNumber });
  return code === undefined ? null : lowered(admin);
}

/** The bridge contract of a side. Both contracts inherit these functions from the same base. */
function getBridgeAddress(book: AddressBook, side: Side): Address {
  return side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
}

/** Reads through the Sentinel, which also works where a local deployment has an account as admin. */
async function readOffices(client: PublicClient, book: AddressBook, side: Side, blockNumber: bigint) {
  const sentinel = { address: book[side].sentinel, abi: sentinelAbi, blockNumber } as const;
  const address = await client.readContract({ ...sentinel, functionName: 'timelock' });
  const timelock = { address, abi: adminTimelockAbi, blockNumber } as const;
  const offices = ['owner', 'guardian', 'recovery'] as const;
  const accounts = await Promise.all(
    offices.map(async (functionName) => client.readContract({ ...timelock, functionName })),
  );
  return offices.map((office, index) => ({
    side,
    role: office,
    address: lowered(accounts[index] ?? zeroAddress),
  }));
}

async function readRoles(client: PublicClient, address: Address, side: Side, blockNumber: bigint): Promise<RoleRow[]> {
  const bridge = { address, abi: bridgeLockAbi, blockNumber } as const;
  const [pendingAdmin, guardian, policyManager, relayer, standby, [, attesters], treasury] = await Promise.all([
    client.readContract({ ...bridge, functionName: 'pendingOwner' }),
    client.readContract({ ...bridge, functionName: 'guardian' }),
    client.readContract({ ...bridge, functionName: 'policyManager' }),
    client.readContract({ ...bridge, functionName: 'relayer' }),
    client.readContract({ ...bridge, functionName: 'standby' }),
    client.readContract({ ...bridge, functionName: 'attesters' }),
    side === 'ethereum' ? client.readContract({ ...bridge, functionName: 'treasury' }) : zeroAddress,
  ]);
  const holders: readonly (readonly [string, Address])[] = [
    ['next admin', pendingAdmin],
    ['sentinel', guardian],
    ['policy manager', policyManager],
    ['relayer', relayer],
    ['standby', standby],
    ['treasury', treasury],
    ...attesters.map((attester) => ['attester', attester] as const),
  ];
  return holders
    .filter(([, holder]) => holder !== zeroAddress)
    .map(([role, holder]) => ({ side, role, address: lowered(holder) }));
}

async function readAsset(
  client: PublicClient,
  book: AddressBook,
  side: Side,
  asset: Asset,
  blockNumber: bigint,
): Promise<AssetRow> {
  const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi, blockNumber } as const;
  const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi, blockNumber } as const;
  const isEthereum = side === 'ethereum';
  const args = [getToken(book, side, asset)] as const;
  const bridge = { ...lock, address: isEthereum ? lock.address : mint.address, args } as const;
  const [[mayBegin, mayBeDelivered], maximum, [capacity], room, fees, policy] = await Promise.all([
    client.readContract({ ...bridge, functionName: 'tokenSettings' }),
    client.readContract({ ...bridge, functionName: 'maxAmount' }),
    client.readContract({ ...bridge, functionName: 'outflowLimit' }),
    client.readContract({ ...bridge, functionName: 'outflowRoom' }),
    isEthereum ? client.readContract({ ...lock, args, functionName: 'feesAccrued' }) : null,
    isEthereum ? null : client.readContract({ ...mint, args, functionName: 'feePolicy' }),
  ]);
  const [feeBps, minimumFee, minimumAmount] = policy ?? [null, null, null];
  return {
    side,
    asset,
    mayBegin,
    mayBeDelivered,
    feeBps,
    minimumFee: toText(minimumFee),
    minimumAmount: toText(minimumAmount),
    maximumAmount: toText(maximum),
    outflowCapacity: toText(capacity),
    outflowRoom: toText(room),
    collectableFees: toText(fees),
  };
}

/** The pauses of a side: of new operations, and of deliveries. */
export function pauseRows(side: Side, { at, pauses }: Pick<ContractState, 'at' | 'pauses'>): PauseRow[] {
  const [until, areDeliveriesPaused, number] = pauses;
  const isEthereum = side === 'ethereum';
  const areBeginningsPaused = Number(until) * 1_000 > at.getTime();
  const end = areBeginningsPaused && until !== WITHOUT_END ? new Date(Number(until) * 1_000).toISOString() : null;
  const count = String(number);
  return [
    {
      side,
      direction: isEthereum ? 'ETHEREUM_TO_PARTNER' : 'PARTNER_TO_ETHEREUM',
      what: 'beginnings',
      isPaused: areBeginningsPaused,
      until: end,
      count,
    },
    {
      side,
      direction: isEthereum ? 'PARTNER_TO_ETHEREUM' : 'ETHEREUM_TO_PARTNER',
      what: 'deliveries',
      isPaused: areDeliveriesPaused,
      until: null,
      count,
    },
  ];
}

function toText(amount: bigint | null): string | null {
  return amount === null ? null : amount.toString();
}

function lowered(address: Address): Address {
  return address.toLowerCase() as Address;
}
