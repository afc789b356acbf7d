import { ASSETS, formatAmount, tokenOfAsset, type Asset, type Side } from '@causeway/protocol';
import { bridgedTokenAbi } from '@causeway/protocol/abi';
import { zeroAddress, type Address, type TransactionReceipt } from 'viem';
import type { World } from '../world/world.js';
import { feePaid } from './fee-paid.js';

/** An account's holding of an asset on one side. */
interface Line {
  readonly owner: string;
  readonly address: Address;
  readonly side: Side;
  readonly asset: Asset;
}

/** A holding that is not what it should be. */
export interface Difference {
  readonly line: string;
  readonly expected: string;
  readonly actual: string;
}

/** Follows what every account should hold, to the last unit, gas included. */
export class BalanceSheet {
  private readonly expected = new Map<string, { line: Line; units: bigint }>();

  private constructor(private readonly world: World) {}

  /** Reads the present balances of the accounts as the starting point. */
  static async open(world: World, owners: Readonly<Record<string, Address>>): Promise<BalanceSheet> {
    const sheet = new BalanceSheet(world);
    for (const [owner, address] of Object.entries(owners)) {
      for (const side of ['ethereum', 'partner'] as const) {
        for (const asset of ASSETS) {
          const line = { owner, address, side, asset };
          sheet.expected.set(keyOf(line), { line, units: await balanceOf(world, line) });
        }
      }
    }
    return sheet;
  }

  /** The holding should have changed by this much. */
  expect(address: Address, side: Side, asset: Asset, change: bigint): void {
    const entry = this.expected.get(keyOf({ address, side, asset }));
    if (entry !== undefined) entry.units += change;
  }

  /** The sender of these transactions paid their gas. */
  expectGas(side: Side, receipts: readonly TransactionReceipt[]): void {
    for (const receipt of receipts) {
      this.expect(receipt.from, side, side === 'ethereum' ? 'ETH' : 'XCN', -feePaid(side, receipt));
    }
  }

  /** How many holdings are compared. */
  get size(): number {
    return this.expected.size;
  }

  /** Every holding that is off, be it by one unit. */
  async differences(): Promise<Difference[]> {
    const found: Difference[] = [];
    for (const { line, units } of this.expected.values()) {
      const actual = await balanceOf(this.world, line);
      if (actual === units) continue;
      found.push({
        line: `${line.asset} of ${line.owner} on ${line.side}`,
        expected: formatAmount(line.asset, units),
        actual: formatAmount(line.asset, actual),
      });
    }
    return found;
  }
}

function keyOf({ address, side, asset }: Omit<Line, 'owner'>): string {
  return `${address.toLowerCase()} ${side} ${asset}`;
}

async function balanceOf(world: World, { address, side, asset }: Line): Promise<bigint> {
  const { client } = world[side];
  const token = tokenOfAsset(world.book, side, asset);
  if (token === zeroAddress) return client.getBalance({ address });
  return client.readContract({ address: token, abi: bridgedTokenAbi, functionName: 'balanceOf', args: [address] });
}
