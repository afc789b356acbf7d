import { listAssets, getToken, type AddressBook, type PerAsset, type Side } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import {
  adminTimelockCode,
  bridgedTokenCode,
  bridgeLockCode,
  bridgeMintCode,
  matchesCode,
  readNativeUnit,
} from '@causeway/protocol/deployed-code';
import { keccak256, parseAbi, toHex, zeroAddress, type Address, type PublicClient } from 'viem';

/** The accounts that hold a role of a contract. Those that are not set are left out. */
type RoleHolders = Readonly<Partial<Record<string, Address>>>;

/** An asset in a contract. Amounts in atomic units. */
interface ListingFacts {
  readonly mayBegin: boolean;
  readonly mayDeliver: boolean;
  /** The largest operation that begins here. */
  readonly maxAmount: bigint;
  /** The largest delivery of an idle outflow limit. */
  readonly capacity: bigint;
}

/** The facts that one node reports of the bridge contract of its chain. */
export interface ContractFacts {
  /** The names of the contracts whose code is missing or is not the compiled one. */
  readonly wrongCode: readonly string[];
  /** The settings of a deployed contract, and those of the address book: by name. */
  readonly settings: Readonly<Record<string, { readonly found: string; readonly meant: string }>>;
  readonly roles: RoleHolders;
  /** Whether the admin is the timelock. Its holders of other roles that may propose calls to it. */
  readonly hasTimelock: boolean;
  readonly proposers: readonly string[];
  readonly pausedBeginnings: boolean;
  readonly pausedDeliveries: boolean;
  readonly listings: PerAsset<ListingFacts>;
  /** Of native XCN in BridgeMint. Null on Ethereum. */
  readonly float: bigint | null;
}

const TIMELOCK = parseAbi(['function hasRole(bytes32 role, address account) view returns (bool)']);
const PROPOSER_ROLE = keccak256(toHex('PROPOSER_ROLE'));

/**
 * Reads the bridge contract of one side, and what belongs to it.
 *
 * @throws Error when the node does not answer, or nothing is deployed at the address.
 */
export async function readContractFacts(client: PublicClient, side: Side, book: AddressBook): Promise<ContractFacts> {
  const roles = await readRoles(client, side, book);
  const admin = roles['admin'] ?? zeroAddress;
  const hasTimelock = matchesCode(await client.getCode({ address: admin }), adminTimelockCode);
  const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
  const mint = { address: book.partner.bridgeMint, abi: bridgeMintAbi } as const;
  const [wrongCode, settings, listings, proposers, pausedBeginnings, pausedDeliveries, float] = await Promise.all([
    readWrongCode(client, side, book),
    readSettings(client, side, book),
    readListings(client, side, book),
    hasTimelock ? readProposers(client, admin, roles) : [],
    side === 'ethereum'
      ? client.readContract({ ...lock, functionName: 'depositsPaused' })
      : client.readContract({ ...mint, functionName: 'burnsPaused' }),
    side === 'ethereum'
      ? client.readContract({ ...lock, functionName: 'releasesPaused' })
      : client.readContract({ ...mint, functionName: 'mintsPaused' }),
    side === 'ethereum' ? null : client.readContract({ ...mint, functionName: 'float' }),
  ]);
  return {
    wrongCode,
    settings,
    roles,
    hasTimelock,
    proposers,
    pausedBeginnings,
    pausedDeliveries,
    listings,
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
  const [relayer, standby, guardian, policyManager, admin, [, members], treasury] = await Promise.all([
    client.readContract({ ...bridge, functionName: 'relayer' }),
    client.readContract({ ...bridge, functionName: 'standby' }),
    client.readContract({ ...bridge, functionName: 'guardian' }),
    client.readContract({ ...bridge, functionName: 'policyManager' }),
    client.readContract({ ...bridge, functionName: 'owner' }),
    client.readContract({ ...bridge, functionName: 'attesters' }),
    side === 'ethereum' ? client.readContract({ ...bridge, functionName: 'treasury' }) : zeroAddress,
  ]);
  const attesters = members.map((member, index) => [`attester ${index + 1}`, member] as const);
  const single = { relayer, standby, guardian, 'policy manager': policyManager, admin, treasury };
  const held = [...Object.entries(single), ...attesters].filter(([, account]) => account !== zeroAddress);
  return Object.fromEntries(held.map(([role, account]) => [role, account.toLowerCase() as Address]));
}

async function readProposers(client: PublicClient, admin: Address, roles: RoleHolders): Promise<readonly string[]> {
  const others = Object.entries(roles).filter(([role]) => role !== 'admin');
  const answers = await Promise.all(
    others.map(([, account = zeroAddress]) =>
      client.readContract({
        address: admin,
        abi: TIMELOCK,
        functionName: 'hasRole',
        args: [PROPOSER_ROLE, account],
      }),
    ),
  );
  return others.filter((_, index) => answers[index] === true).map(([role]) => role);
}

async function readWrongCode(client: PublicClient, side: Side, book: AddressBook): Promise<readonly string[]> {
  const expected =
    side === 'ethereum'
      ? [{ name: 'BridgeLock', address: book.ethereum.bridgeLock, code: bridgeLockCode }]
      : [
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
  const [relayer, peer, peerChainId] = await Promise.all([
    client.readContract({ ...bridge, functionName: 'relayer' }),
    client.readContract({ ...bridge, functionName: 'peer' }),
    client.readContract({ ...bridge, functionName: 'peerChainId' }),
  ]);
  const common = {
    relayer: pair(relayer, book.relayer),
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
    // The wallet must hold some coin for that; without any the unit stays unknown.
    readNativeUnit(client, book.relayer).catch(() => 'unknown'),
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
