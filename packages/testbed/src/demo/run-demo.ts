import {
  feeQuoteResponseSchema,
  formatAmount,
  parseAmount,
  type Asset,
  type FeeQuoteResponse,
} from '@causeway/protocol';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { World } from '../world/world.js';
import { BalanceSheet, type Difference } from './balance-sheet.js';
import { tryDust, type DustRefusal } from './dust-refusals.js';
import type { Progress } from './progress.js';
import { readSolvency, type Solvency } from './solvency.js';
import { follow, type Finished } from './transfer.js';
import { User, type Sent } from './user.js';

/** What the demo moves: in, and of that a part back out. */
const AMOUNTS: readonly { asset: Asset; deposit: string; withdraw: string }[] = [
  { asset: 'ETH', deposit: '2.000000000000000007', withdraw: '1.5' },
  { asset: 'USDC', deposit: '2500.000001', withdraw: '2400.5' },
  { asset: 'XCN', deposit: '600000.00000001', withdraw: '500000' },
];

/** What the demo found. It went well when nothing differs and nothing is unbacked. */
export interface DemoResult {
  readonly transfers: readonly Finished[];
  readonly solvency: readonly Solvency[];
  readonly holdingsChecked: number;
  readonly differences: readonly Difference[];
  readonly dustRefusals: readonly DustRefusal[];
}

/**
 * Performs the six transfers of the specification's asset table as a user would, with nothing but the contracts and the
 * REST API, tries to move dust, and compares every balance with what it should be.
 *
 * @throws Error when a transfer does not complete, or dust is not refused.
 */
export async function runDemo(world: World, progress: Progress, say: (line: string) => void): Promise<DemoResult> {
  const alice = new User(world, world.accounts.alice);
  // Has never existed before and pays no gas: what arrives there is the output, to the unit.
  const payee = privateKeyToAddress(generatePrivateKey());
  const sheet = await BalanceSheet.open(world, { Alice: alice.account.address, 'the payee': payee });
  const floatBefore = await world.partner.client.getBalance({ address: world.book.relayer });

  say('Ethereum to the partner chain');
  const deposits = await together(AMOUNTS, progress, async ({ asset, deposit }, start) => {
    const amount = parseAmount(asset, deposit);
    const title = `${asset} in: ${deposit}`;
    return follow(
      world,
      alice,
      progress,
      title,
      start(title, () => alice.deposit(asset, amount, alice.account.address)),
    );
  });
  say('Partner chain to Ethereum');
  const withdrawals = await together(AMOUNTS, progress, async ({ asset, withdraw }, start) => {
    const amount = parseAmount(asset, withdraw);
    const title = `${asset} out: ${withdraw}`;
    const quote = await quoteOf(alice, asset, withdraw);
    const send = () =>
      asset === 'XCN'
        ? alice.withdrawXcn(amount, payee, `${Date.now()}`)
        : alice.burn(asset, amount, payee, BigInt(quote.feeAmount));
    const finished = await follow(world, alice, progress, title, start(title, send));
    assertQuoteHeld(finished, quote);
    return finished;
  });

  say('Dust of XCN, which must be refused');
  const dustRefusals = await tryDust(world, alice);

  for (const { asset, operation, originReceipts } of deposits) {
    sheet.expect(alice.account.address, 'ethereum', asset, -BigInt(operation.amount));
    sheet.expect(alice.account.address, 'partner', asset, BigInt(operation.amount));
    sheet.expectGas('ethereum', originReceipts);
  }
  for (const { asset, operation, originReceipts } of withdrawals) {
    sheet.expect(alice.account.address, 'partner', asset, -BigInt(operation.amount));
    sheet.expect(payee, 'ethereum', asset, BigInt(operation.outputAmount));
    sheet.expectGas('partner', originReceipts);
  }
  const transfers = [...deposits, ...withdrawals];
  return {
    transfers,
    solvency: await readSolvency(world, floatBefore, transfers),
    holdingsChecked: sheet.size,
    differences: await sheet.differences(),
    dustRefusals,
  };
}

/**
 * Runs transfers side by side. One account sends them one after the other, since their transactions are numbered; then
 * all are on their way at the same time.
 */
async function together<T>(
  items: readonly T[],
  progress: Progress,
  run: (item: T, start: (title: string, send: () => Promise<Sent>) => Promise<Sent>) => Promise<Finished>,
): Promise<Finished[]> {
  let before: Promise<unknown> = Promise.resolve();
  const start = (title: string, send: () => Promise<Sent>): Promise<Sent> => {
    const sending = before.then(() => {
      progress.begin(title);
      return send();
    });
    before = sending.catch(() => undefined);
    return sending;
  };
  const finished = await Promise.all(items.map((item) => run(item, start)));
  progress.finish();
  return finished;
}

async function quoteOf(user: User, token: Asset, amount: string): Promise<FeeQuoteResponse> {
  const query = new URLSearchParams({ token, amount, direction: 'PARTNER_TO_ETHEREUM' });
  return user.get(`/bridge/fee-quote?${query.toString()}`, feeQuoteResponseSchema);
}

/** What was quoted before the user signed is what was taken. */
function assertQuoteHeld({ asset, operation }: Finished, quote: FeeQuoteResponse): void {
  if (operation.fee?.amount === quote.feeAmount && operation.outputAmount === quote.outputAmount) return;
  const taken = formatAmount(asset, BigInt(operation.fee?.amount ?? 0));
  throw new Error(`A fee of ${quote.feeAmountFormatted} ${asset} was quoted, but ${taken} was taken`);
}
