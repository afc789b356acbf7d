import { feeInUnits, WEI_PER_UNIT } from '@causeway/partner-chain';
import { formatAmount, listAssets, getToken, type Asset, type Side } from '@causeway/protocol';
import { bridgedTokenAbi } from '@causeway/protocol/abi';
import { zeroAddress, type Address, type TransactionReceipt } from 'viem';
import type { Environment } from '../environment/environment.js';

type Chains = Pick<Environment, 'book' | 'ethereum' | 'partner'>;

/** The holding of one account in one asset on one side. */
interface Line {
  readonly owner: string;
  readonly address: Address;
  readonly side: Side;
  readonly asset: Asset;
}

/** A holding that differs from the expected one. */
export interface Difference {
  readonly line: string;
  readonly expected: string;
  readonly actual: string;
}

/** Tracks the expected holdings of accounts to the last unit, gas included. */
export class BalanceSheet {
  private readonly expected = new Map<string, { line: Line; units: bigint }>();

  private constructor(private readonly environment: Chains) {}

  /** Starts from the current balances of the accounts. */
  static async open(environment: Chains, owners: Readonly<Record<string, Address>>): Promise<BalanceSheet> {
    const sheet = new BalanceSheet(environment);
    for (const [owner, address] of Object.entries(owners)) {
      for (const side of ['ethereum', 'partner'] as const) {
        for (const asset of listAssets()) {
          const line = { owner, address, side, asset };
          sheet.expected.set(toKey(line), { line, units: await readBalance(environment, line) });
        }
      }
    }
    return sheet;
  }

  /** Adds a change to the expected holding; ignores accounts that are not on the sheet. */
  expect(address: Address, side: Side, asset: Asset, change: bigint): void {
    const entry = this.expected.get(toKey({ address, side, asset }));
    if (entry !== undefined) entry.units += change;
  }

  /** Expects an account that had nothing when the sheet was opened to hold an amount, in atomic units. */
  expectNew(owner: string, address: Address, side: Side, asset: Asset, units: bigint): void {
    const line = { owner, address, side, asset };
    const entry = this.expected.get(toKey(line)) ?? { line, units: 0n };
    this.expected.set(toKey(line), { line, units: entry.units + units });
  }

  /** Subtracts the gas fees of transactions from the expected holding of their senders. */
  expectGas(side: Side, receipts: readonly TransactionReceipt[]): void {
    for (const receipt of receipts) {
      this.expect(receipt.from, side, side === 'ethereum' ? 'ETH' : 'XCN', -feePaid(side, receipt));
    }
  }

  get size(): number {
    return this.expected.size;
  }

  /** Returns every holding that differs, even by one unit. */
  async differences(): Promise<Difference[]> {
    const found: Difference[] = [];
    for (const { line, units } of this.expected.values()) {
      const actual = await readBalance(this.environment, line);
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

/** Returns the gas fee of a transaction in wei. The partner chain charges whole units of 8 decimals, rounded up. */
export function feePaid(side: Side, { gasUsed, effectiveGasPrice }: TransactionReceipt): bigint {
  const fee = gasUsed * effectiveGasPrice;
  return side === 'partner' ? feeInUnits(fee) * WEI_PER_UNIT : fee;
}

function toKey({ address, side, asset }: Omit<Line, 'owner'>): string {
  return `${address.toLowerCase()} ${side} ${asset}`;
}

async function readBalance(environment: Chains, { address, side, asset }: Line): Promise<bigint> {
  const { client } = environment[side];
  const token = getToken(environment.book, side, asset);
  if (token === zeroAddress) return client.getBalance({ address });
  return client.readContract({ address: token, abi: bridgedTokenAbi, functionName: 'balanceOf', args: [address] });
}
