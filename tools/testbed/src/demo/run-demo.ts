import { formatAmount, parseAmount, getToken, type Asset, type FeeQuoteResponse } from '@causeway/protocol';
import { feeQuoteResponseSchema } from '@causeway/protocol/rest';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Environment } from '../environment/environment.js';
import { User, type Sent } from '../bridge/user.js';
import { waitUntil } from '@causeway/test-kit/test-run';
import { BalanceSheet, type Difference } from './balance-sheet.js';
import { tryDust, type DustRefusal } from './dust-refusals.js';
import { readSolvency, type Solvency } from './solvency.js';
import { follow, type Finished, type Progress } from './transfer.js';

/** A transfer of the demo. */
interface Planned {
  readonly asset: Asset;
  readonly amount: string;
  /** A withdrawal by a signed intent instead of a call of BridgeMint. */
  readonly byIntent?: true;
}

const DEPOSITS: readonly Planned[] = [
  { asset: 'ETH', amount: '2.000000000000000007' },
  { asset: 'USDC', amount: '2500.000001' },
  { asset: 'XCN', amount: '600000.00000001' },
];

const ARRIVAL_MS = 180_000;

/** Part of each deposit goes back. XCN goes back both ways: by the contract and by a signed intent. */
const WITHDRAWALS: readonly Planned[] = [
  { asset: 'ETH', amount: '1.5' },
  { asset: 'USDC', amount: '2400.5' },
  { asset: 'XCN', amount: '90000.00000001' },
  { asset: 'XCN', amount: '500000', byIntent: true },
];

/** The result of the demo. It passes without differences and with every asset exactly backed. */
export interface DemoResult {
  readonly transfers: readonly Finished[];
  readonly solvency: readonly Solvency[];
  readonly holdingsChecked: number;
  readonly differences: readonly Difference[];
  readonly dustRefusals: readonly DustRefusal[];
}

/**
 * Makes the six transfers of the specification's asset table as a user would, with the contracts and the REST API only,
 * and a seventh: XCN by withdrawNative. Then tries to move dust, and compares every balance with the expected one.
 *
 * @throws Error when a transfer does not complete, or dust is not refused.
 */
export async function runDemo(
  environment: Environment,
  progress: Progress,
  print: (line: string) => void,
): Promise<DemoResult> {
  const alice = new User(environment, environment.accounts.alice);
  // A new account that pays no gas: its balance is the sum of the outputs, to the unit.
  const payee = privateKeyToAddress(generatePrivateKey());
  const sheet = await BalanceSheet.open(environment, { Alice: alice.account.address, 'the payee': payee });

  print('Moving three assets to the partner chain, and back as soon as each arrives');
  const start = inOrder(progress);
  const deposit = async ({ asset, amount: text }: Planned) => {
    const amount = parseAmount(asset, text);
    const title = `${asset} in: ${text}`;
    const send = () => alice.deposit(asset, amount, alice.account.address);
    return follow(environment, alice, progress, title, start(title, send));
  };
  const withdraw = async ({ asset, amount: text, byIntent }: Planned) => {
    const amount = parseAmount(asset, text);
    const title = `${asset} out: ${text}`;
    await waitUntil(`${asset} arrives`, () => hasArrived(environment, asset), { timeoutMs: ARRIVAL_MS });
    const quote = await fetchQuote(alice, asset, text);
    const maxFee = BigInt(quote.feeAmount);
    const send = () => {
      if (asset !== 'XCN') return alice.burn(asset, amount, payee, maxFee);
      if (byIntent) return alice.withdrawXcn(amount, payee, `${Date.now()}`);
      return alice.withdrawNative(amount, payee, maxFee);
    };
    const finished = await follow(environment, alice, progress, title, start(title, send));
    assertQuoteHeld(finished, quote);
    return finished;
  };
  const [deposits, withdrawals] = await Promise.all([
    Promise.all(DEPOSITS.map(deposit)),
    Promise.all(WITHDRAWALS.map(withdraw)),
  ]);
  progress.finish();

  print('Trying to move XCN dust, which must be refused');
  const dustRefusals = await tryDust(environment, alice);

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
    solvency: await readSolvency(environment),
    holdingsChecked: sheet.size,
    differences: await sheet.differences(),
    dustRefusals,
  };
}

/** Whether Alice's deposit is in her wallet. She can spend it before its status is COMPLETED. */
async function hasArrived({ book, partner, accounts }: Environment, asset: Asset): Promise<boolean> {
  const mints = await partner.client.getContractEvents({
    address: book.partner.bridgeMint,
    abi: bridgeMintAbi,
    eventName: 'Mint',
    args: { token: getToken(book, 'partner', asset), recipient: accounts.alice.address },
    fromBlock: 0n,
  });
  return mints.length > 0;
}

/**
 * Sends transactions one by one, since they share an account's nonces. They are then pending together.
 */
function inOrder(progress: Progress): (title: string, send: () => Promise<Sent>) => Promise<Sent> {
  let before: Promise<unknown> = Promise.resolve();
  return (title, send) => {
    const sending = before.then(() => {
      progress.begin(title);
      return send();
    });
    before = sending.catch(() => undefined);
    return sending;
  };
}

async function fetchQuote(user: User, token: Asset, amount: string): Promise<FeeQuoteResponse> {
  const query = new URLSearchParams({ token, amount, direction: 'PARTNER_TO_ETHEREUM' });
  return user.get(`/bridge/fee-quote?${query.toString()}`, feeQuoteResponseSchema);
}

/** The charged fee must equal the one quoted before the user signed. */
function assertQuoteHeld({ asset, operation }: Finished, quote: FeeQuoteResponse): void {
  if (operation.fee?.amount === quote.feeAmount && operation.outputAmount === quote.outputAmount) return;
  const charged = formatAmount(asset, BigInt(operation.fee?.amount ?? 0));
  throw new Error(`A fee of ${quote.feeAmountFormatted} ${asset} was quoted, but ${charged} was charged`);
}
