import { classifyRpcError, NodeThrottledError } from '@causeway/chain';
import {
  adminTimelockCode,
  bridgedTokenCode,
  bridgeLockCode,
  bridgeMintCode,
  matchesCode,
  readNativeUnit,
  sentinelCode,
} from '@causeway/contracts/deployed-code';
import { listAssets, getToken, type AddressBook, type PerAsset, type Side } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '@causeway/protocol/abi';
import { BaseError, parseAbi, zeroAddress, type Address, type PublicClient } from 'viem';

/** The accounts that hold a role of a contract. Roles that are not set are left out. */
type RoleHolders = Readonly<Partial<Record<string, Address>>>;

/** An asset in a contract. Amounts in atomic units. */
interface ListingFacts {
  readonly mayBegin: boolean;
  readonly mayDeliver: boolean;
  /** The largest operation that can begin here. */
  readonly maxAmount: bigint;
  /** The largest delivery that the outflow limit allows when idle. */
  readonly capacity: bigint;
}

/** The facts about the bridge contract of a chain, as one node reports them. */
export interface ContractFacts {
  /** The contracts whose code is missing or differs from the compiled code. */
  readonly wrongCode: readonly string[];
  /** The deployed contract's settings by name, beside those of the address book. */
  readonly settings: Readonly<Record<string, { readonly found: string; readonly meant: string }>>;
  readonly roles: RoleHolders;
  /** Whether the admin is the timelock. */
  readonly hasTimelock: boolean;
  /** The timelock from which the Sentinel reads the offices. */
  readonly timelock: Address;
  /** The offices held by accounts that were relayer wallets. */
  readonly formerRelayers: readonly string[];
  readonly pausedBeginnings: boolean;
  readonly pausedDeliveries: boolean;
  readonly listings: PerAsset<ListingFacts>;
  /** The attesters, lower-case, and how many must sign. */
  readonly attesters: { readonly members: readonly Address[]; readonly threshold: number };
  /** The native XCN in BridgeMint. Null on Ethereum. */
  readonly float: bigint | null;
}

const OFFICES = ['owner', 'guardian', 'recovery'] as const;
const TIMELOCK = parseAbi([
  'function owner() view returns (address)',
  'function guardian() view returns (address)',
  'function recovery() view returns (address)',
]);

/**
 * Reads the bridge contract of one side, its timelock and its tokens.
 *
 * @throws Error when the node does not answer, or nothing is deployed at the address.
 */
export async function readContractFacts(client: PublicClient, side: Side, book: AddressBook): Promise<ContractFacts> {
  const sentinel = { address: book[side].sentinel, abi: sentinelAbi } as const;
  const timelock = lowered(await client.readContract({ ...sentinel, functionName: 'timelock' }));
  const roles = { ...(await readRoles(client, side, book)), ...(await readOffices(client, timelock)) };
  const admin = roles['admin'] ?? zeroAddress;
  const hasTimelock = matchesCode(await client.getCode({ address: admin }), adminTimelockCode);
  const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
  const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
  const [wrongCode, settings, listings, formerRelayers, pausedBeginnings, pausedDeliveries, float, attesters] =
    await Promise.all([
      readWrongCode(client, side, book),
      readSettings(client, side, book),
      readListings(client, side, book),
      readFormerRelayers(client, side, book, roles),
      side === 'ethereum'
        ? client.readContract({ ...lock, functionName: 'depositsPaused' })
        : client.readContract({ ...mint, functionName: 'burnsPaused' }),
      side === 'ethereum'
        ? client.readContract({ ...lock, functionName: 'releasesPaused' })
        : client.readContract({ ...mint, functionName: 'mintsPaused' }),
      side === 'ethereum' ? null : client.readContract({ ...mint, functionName: 'float' }),
      client.readContract({ ...getBridgeContract(side, book), functionName: 'attesters' }),
    ]);
  return {
    wrongCode,
    settings,
    roles,
    hasTimelock,
    timelock,
    formerRelayers,
    pausedBeginnings,
    pausedDeliveries,
    listings,
    attesters: { members: attesters[1].map(lowered), threshold: Number(attesters[2]) },
    float,
  };
}

/** Both contracts inherit the functions that are read below from the same base. */
function getBridgeContract(side: Side, book: AddressBook) {
  const address = side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
  return { address, abi: bridgeLockAbi } as const;
}

async function readRoles(client: PublicClient, side: Side, book: AddressBook): Promise<RoleHolders> {
  const bridge = getBridgeContract(side, book);
  const [relayer, standby, sentinel, policyManager, admin, [, members], treasury] = await Promise.all([
    client.readContract({ ...bridge, functionName: 'relayer' }),
    client.readContract({ ...bridge, functionName: 'standby' }),
    client.readContract({ ...bridge, functionName: 'guardian' }),
    client.readContract({ ...bridge, functionName: 'policyManager' }),
    client.readContract({ ...bridge, functionName: 'owner' }),
    client.readContract({ ...bridge, functionName: 'attesters' }),
    side === 'ethereum' ? client.readContract({ ...bridge, functionName: 'treasury' }) : zeroAddress,
  ]);
  const attesters = members.map((member, index) => [`attester ${index + 1}`, member] as const);
  const single = { relayer, standby, sentinel, 'policy manager': policyManager, admin, treasury };
  const held = [...Object.entries(single), ...attesters].filter(([, account]) => account !== zeroAddress);
  return Object.fromEntries(held.map(([role, account]) => [role, lowered(account)]));
}

/** The accounts of the timelock's offices. */
async function readOffices(client: PublicClient, address: Address): Promise<RoleHolders> {
  const timelock = { address, abi: TIMELOCK } as const;
  const accounts = await Promise.all(OFFICES.map((functionName) => client.readContract({ ...timelock, functionName })));
  return Object.fromEntries(OFFICES.map((office, index) => [office, lowered(accounts[index] ?? zeroAddress)]));
}

/** The key of a former relayer wallet may be stolen. */
async function readFormerRelayers(client: PublicClient, side: Side, book: AddressBook, roles: RoleHolders) {
  const bridge = getBridgeContract(side, book);
  const were = await Promise.all(
    OFFICES.map((office) =>
      client.readContract({ ...bridge, functionName: 'isRelayerWallet', args: [roles[office] ?? zeroAddress] }),
    ),
  );
  return OFFICES.filter((_, index) => were[index] === true);
}

async function readWrongCode(client: PublicClient, side: Side, book: AddressBook): Promise<readonly string[]> {
  const sentinel = { name: 'the Sentinel', address: book[side].sentinel, code: sentinelCode };
  const expected =
    side === 'ethereum'
      ? [sentinel, { name: 'BridgeLock', address: book.ethereum.bridgeLock, code: bridgeLockCode }]
      : [
          sentinel,
          { name: 'BridgeMint', address: book.partner.bridgeMint, code: bridgeMintCode },
          ...Object.entries(book.partner.tokens).map(([asset, address]) => ({
            name: `the bridged ${asset}`,
            address,
            code: bridgedTokenCode,
          })),
        ];
  const found = await Promise.all(expected.map(({ address }) => client.getCode({ address })));
  return expected.filter(({ code }, index) => !matchesCode(found[index], code)).map(({ name }) => name);
}

async function readSettings(client: PublicClient, side: Side, book: AddressBook): Promise<ContractFacts['settings']> {
  const bridge = getBridgeContract(side, book);
  const other = side === 'ethereum' ? book.partner : book.ethereum;
  const [relayer, guardian, peer, peerChainId] = await Promise.all([
    client.readContract({ ...bridge, functionName: 'relayer' }),
    client.readContract({ ...bridge, functionName: 'guardian' }),
    client.readContract({ ...bridge, functionName: 'peer' }),
    client.readContract({ ...bridge, functionName: 'peerChainId' }),
  ]);
  const common = {
    relayer: pair(relayer, book.relayer),
    guardian: pair(guardian, book[side].sentinel),
    peer: pair(peer, 'bridgeMint' in other ? other.bridgeMint : other.bridgeLock),
    'chain id of the peer': pair(peerChainId, other.chainId),
  };
  if (side === 'ethereum') {
    const xcn = await client.readContract({ ...bridge, functionName: 'xcn' });
    return { ...common, XCN: pair(xcn, book.ethereum.tokens.XCN) };
  }
  const mint = { address: bridge.address, abi: bridgeMintAbi } as const;
  const token = { abi: bridgedTokenAbi, functionName: 'bridge' } as const;
  const [unit, chainUnit, ...bridged] = await Promise.all([
    client.readContract({ ...mint, functionName: 'nativeUnit' }),
    readUnitOfChain(client, book.relayer),
    ...Object.entries(book.partner.tokens).map(async ([asset, address]) => {
      const minter = await client.readContract({ ...token, address });
      return [`bridge of the bridged ${asset}`, pair(minter, book.partner.bridgeMint)] as const;
    }),
  ]);
  return {
    ...common,
    'native unit': pair(unit, book.partner.nativeUnit),
    'native unit of the chain': pair(chainUnit, book.partner.nativeUnit),
    ...Object.fromEntries(bridged),
  };
}

/** The estimate needs some coin in the wallet; without any, the unit stays unknown. */
async function readUnitOfChain(client: PublicClient, wallet: Address): Promise<bigint | 'unknown'> {
  try {
    return await readNativeUnit(client, wallet);
  } catch (error) {
    if (error instanceof BaseError && classifyRpcError(error) instanceof NodeThrottledError) throw error;
    return 'unknown';
  }
}

function pair(found: string | number | bigint, meant: string | number) {
  return { found: String(found).toLowerCase(), meant: String(meant).toLowerCase() };
}

async function readListings(client: PublicClient, side: Side, book: AddressBook): Promise<ContractFacts['listings']> {
  const bridge = getBridgeContract(side, book);
  const entries = listAssets().map(async (asset) => {
    const args = [getToken(book, side, asset)] as const;
    const [[mayBegin, mayDeliver], maxAmount, [capacity]] = await Promise.all([
      client.readContract({ ...bridge, functionName: 'tokenSettings', args }),
      client.readContract({ ...bridge, functionName: 'maxAmount', args }),
      client.readContract({ ...bridge, functionName: 'outflowLimit', args }),
    ]);
    return [asset, { mayBegin, mayDeliver, maxAmount, capacity }] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as PerAsset<ListingFacts>;
}

function lowered(account: Address): Address {
  return account.toLowerCase() as Address;
}
