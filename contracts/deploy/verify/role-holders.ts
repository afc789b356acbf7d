import { parseAbi, type Address, type Hex, type PublicClient } from 'viem';

const EVENTS = parseAbi([
  'event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)',
  'event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)',
]);
/** What public nodes answer in one go. */
const BLOCKS_AT_ONCE = 10_000n;

/**
 * Everybody who holds a role of a contract now, by its events since it was deployed.
 *
 * @returns lower-case addresses by role.
 */
export async function roleHolders(
  client: PublicClient,
  address: Address,
  deployedAtBlock: number,
): Promise<ReadonlyMap<Hex, ReadonlySet<Address>>> {
  const holders = new Map<Hex, Set<Address>>();
  const head = await client.getBlockNumber({ cacheTime: 0 });
  for (let from = BigInt(deployedAtBlock); from <= head; from += BLOCKS_AT_ONCE) {
    const last = from + BLOCKS_AT_ONCE - 1n;
    const toBlock = last < head ? last : head;
    const logs = await client.getLogs({ address, events: EVENTS, fromBlock: from, toBlock, strict: true });
    for (const { eventName, args } of logs) {
      const accounts = holders.get(args.role) ?? new Set();
      const account = args.account.toLowerCase() as Address;
      if (eventName === 'RoleGranted') accounts.add(account);
      else accounts.delete(account);
      holders.set(args.role, accounts);
    }
  }
  return holders;
}
