import { getToken } from '@causeway/protocol';
import { bridgedTokenAbi } from '@causeway/protocol/abi';
import type { Address } from 'viem';
import type { TestEnvironment } from '../temporary-environment.js';
import type { Side } from './transactions.js';

/** Balances and supplies by name, in atomic units. */
export type Holdings = Readonly<Record<string, bigint>>;

/** Reads all holdings of accounts on both chains, and every supply. */
export async function readHoldings(
  environment: TestEnvironment,
  accounts: Readonly<Record<string, Address>>,
): Promise<Holdings> {
  const { book } = environment;
  const found: Record<string, bigint> = {};
  const tokens = {
    ethereum: { USDC: getToken(book, 'ethereum', 'USDC'), XCN: getToken(book, 'ethereum', 'XCN') },
    partner: { ETH: getToken(book, 'partner', 'ETH'), USDC: getToken(book, 'partner', 'USDC') },
  } as const;
  await Promise.all(
    (['ethereum', 'partner'] as const).map(async (side) => {
      const { client } = environment[side];
      for (const [symbol, address] of Object.entries(tokens[side])) {
        const token = { address, abi: bridgedTokenAbi } as const;
        found[`supply of ${symbol} on ${side}`] = await client.readContract({ ...token, functionName: 'totalSupply' });
        for (const [name, account] of Object.entries(accounts)) {
          const read = { ...token, functionName: 'balanceOf', args: [account] } as const;
          found[`${symbol} of ${name} on ${side}`] = await client.readContract(read);
        }
      }
      for (const [name, address] of Object.entries(accounts))
        found[nameCoin(name, side)] = await client.getBalance({ address });
    }),
  );
  return found;
}

/** The name of an account's native coin in `Holdings`. */
export function nameCoin(account: string, side: Side): string {
  return `${side === 'ethereum' ? 'ETH' : 'XCN'} of ${account} on ${side}`;
}

/** Returns the nonzero differences between two readings. */
export function compareHoldings(before: Holdings, after: Holdings): Holdings {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...names]
      .map((name) => [name, (after[name] ?? 0n) - (before[name] ?? 0n)] as const)
      .filter(([, difference]) => difference !== 0n),
  );
}
