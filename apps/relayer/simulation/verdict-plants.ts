import type { Happening } from './environment/schedule.ts';
import { PLANTS, type Plant } from './plants.ts';

const VERIFIER = '/packages/verifier/dist/';
const JUDGE = `${VERIFIER}judge-delivery.js`;
const ACCEPTANCE = `${VERIFIER}checks/acceptance.js`;
const PAYMENT = `${VERIFIER}checks/payment.js`;
const COLLATERAL = `${VERIFIER}checks/collateral.js`;
const PAID = `${VERIFIER}checks/paid-before.js`;
const COUNT = `${VERIFIER}checks/transfer-count.js`;
const IDS = `${VERIFIER}digests/ids.js`;
const RECEIPT = `${VERIFIER}blocks/receipt.js`;
const TRANSACTION = `${VERIFIER}blocks/transaction.js`;
const EVENTS = '/packages/chain/dist/blocks/bridge-events.js';
const ENCODE = '/apps/relayer/dist/stages/encode-delivery.js';
const ITEMS = '/apps/relayer/dist/exchange/items.js';

/** Every kind of operation, and no fault. */
const HAPPENINGS: readonly Happening[] = [
  { atMs: 1_000, kind: 'deposit', asset: 'ETH', user: 0 },
  { atMs: 1_001, kind: 'deposit', asset: 'USDC', user: 1 },
  { atMs: 1_002, kind: 'deposit', asset: 'XCN', user: 2 },
  { atMs: 2_000, kind: 'intent', user: 0, payment: 'right', way: 'plain', isBound: true, isNamed: false },
  { atMs: 2_001, kind: 'intent', user: 1, payment: 'right', way: 'plain', isBound: false, isNamed: true },
  { atMs: 3_000, kind: 'intent', user: 2, payment: 'right', way: 'forwarded', isBound: true, isNamed: false },
  { atMs: 4_000, kind: 'intent', user: 0, payment: 'right', way: 'account', isBound: false, isNamed: false },
  { atMs: 5_000, kind: 'intent', user: 1, payment: 'wrong amount', way: 'plain', isBound: true, isNamed: true },
  { atMs: 6_000, kind: 'intent', user: 2, payment: 'late', way: 'plain', isBound: true, isNamed: true },
  { atMs: 7_000, kind: 'intent', user: 0, payment: 'early', way: 'plain', isBound: true, isNamed: true },
  { atMs: 8_000, kind: 'burn', asset: 'ETH', user: 0 },
  { atMs: 8_001, kind: 'burn', asset: 'USDC', user: 1 },
  { atMs: 8_002, kind: 'withdraw', asset: 'XCN', user: 2 },
  { atMs: 40_000, kind: 'burn', asset: 'USDC', user: 1 },
  { atMs: 41_000, kind: 'intent', user: 0, payment: 'right', way: 'plain', isBound: true, isNamed: false },
  { atMs: 55_000, kind: 'burn', asset: 'ETH', user: 0 },
  { atMs: 70_000, kind: 'deposit', asset: 'ETH', user: 1 },
  { atMs: 71_000, kind: 'used-up number', side: 'partner', isWide: true },
];

const plant = (module: string, from: string, to: string): Plant => ({
  changes: [{ module, from, to }],
  schedule: { seed: 1, happenings: HAPPENINGS },
});

/** Bugs of the verifier, which the relayer's payments and rows show. */
export const VERIFIER_PLANTS: Readonly<Record<string, Plant>> = {
  'verifier: amount of a number': plant(JUDGE, `expectSame('WRONG_AMOUNT', amount, event.amount - event.fee);`, ''),
  'verifier: recipient': plant(JUDGE, `expectSame('WRONG_RECIPIENT', recipient, event.recipient);`, ''),
  'verifier: token': plant(JUDGE, `expectSame('WRONG_TOKEN', token, asset.tokens[to]);`, ''),
  'verifier: fee of a withdrawal': plant(JUDGE, `expectSame('WRONG_FEE', fee, event.fee);`, ''),
  'verifier: fee paid out': plant(JUDGE, 'event.amount - event.fee', 'event.amount'),
  'verifier: hold in milliseconds': plant(JUDGE, 'BigInt(settings.holdSeconds)', 'BigInt(settings.holdSeconds * 1000)'),
  'verifier: fee of an intent': plant(JUDGE, `expectSame('WRONG_FEE', fee, acceptance.fee);`, ''),
  'verifier: acceptance after the transfer': plant(JUDGE, 'acceptedAt > origin.blockNumber', 'false'),
  'verifier: acceptance of seconds': plant(JUDGE, 'const ACCEPTANCE_SECONDS = 1800n', 'const ACCEPTANCE_SECONDS = 8n'),
  'verifier: any key': plant(ACCEPTANCE, '(await recoverSigner(intentId, signature)) === sender', 'hasOnlyKey'),
  'verifier: any answer of an account': plant(ACCEPTANCE, 'answer !== MAGIC', `answer === '0x'`),
  'verifier: no least fee': plant(ACCEPTANCE, 'share < minFee ? minFee : share', 'share'),
  'verifier: first call of a transaction': plant(PAYMENT, 'calls[callIndex]', 'calls[0]'),
  'verifier: collateral without handed-in tokens': plant(COLLATERAL, 'owed - held', 'owed'),
  'verifier: collateral of the supply alone': plant(
    COLLATERAL,
    'locked < owed + amount',
    'locked < 2n * owed + amount',
  ),
  'verifier: used up when not': plant(PAID, 'used !== false', 'used !== true'),
  'verifier: one transfer too few': plant(COUNT, 'released + refunded + 1 >', 'released + refunded + 2 >'),
  'verifier: operation of the other number': plant(IDS, `['uint256', number]`, `['uint256', number + 1n]`),
  'verifier: gas of a receipt': plant(RECEIPT, `receipt['cumulativeGasUsed']`, `receipt['gasUsed']`),
  'verifier: fee of a transaction': plant(TRANSACTION, `    'maxFeePerGas',`, `    'maxPriorityFeePerGas',`),
};

/** Bugs of the relayer, at which the verifier refuses. */
export const RELAYER_PLANTS: Readonly<Record<string, Plant>> = {
  'relayer: recipient of a deposit': plant(
    EVENTS,
    `recipient: readAddress(args, 'recipient'),`,
    `recipient: readAddress(args, 'sender').replace(/.$/, '7'),`,
  ),
  'relayer: recipient of a withdrawal': plant(
    EVENTS,
    `recipient: readAddress(args, 'destination'),`,
    `recipient: readAddress(args, 'sender').replace(/.$/, '7'),`,
  ),
  'relayer: number of a single mint': plant(
    ENCODE,
    'const args = [requireNumber(operation), token, recipient, outputAmount];',
    'const args = [requireNumber(operation) + 1n, token, recipient, outputAmount];',
  ),
  'relayer: fee of an intent': plant(ENCODE, 'signature }, fee, attestation]', 'signature }, fee + 1n, attestation]'),
  'relayer: recipients of a batch of mints': plant(
    ENCODE,
    `token: getToken(book, 'partner', operation.asset),
        recipient: operation.recipient,`,
    `token: getToken(book, 'partner', operation.asset),
        recipient: operations[0].recipient,`,
  ),
  'relayer: tokens of a batch of mints': plant(
    ENCODE,
    `token: getToken(book, 'partner', operation.asset),
        recipient`,
    `token: getToken(book, 'partner', operations[0].asset),
        recipient`,
  ),
  'relayer: fee of a batch of releases': plant(ENCODE, 'fee: operation.fee,', 'fee: operation.fee - 1n,'),
  'relayer: amount of a batch of releases': plant(
    ENCODE,
    `amount: operation.outputAmount,
        fee`,
    `amount: operation.outputAmount - 10n,
        fee`,
  ),
  'relayer: tokens of a batch of releases': plant(
    ENCODE,
    `token: getToken(book, 'ethereum', operation.asset),
        recipient`,
    `token: getToken(book, 'ethereum', operations[0].asset),
        recipient`,
  ),
  'relayer: acceptance as it was read next': plant(
    ITEMS,
    'acceptedAtBlock > 0n ? acceptedAtBlock - 1n : 0n',
    'acceptedAtBlock + 9n',
  ),
  'relayer: origin in the block before': plant(
    ITEMS,
    'blockNumber: origin.blockNumber,',
    'blockNumber: origin.blockNumber - 1n,',
  ),
};

/** A planted bug by its name. */
export function findPlant(name: string): Plant | undefined {
  return PLANTS[name] ?? VERIFIER_PLANTS[name] ?? RELAYER_PLANTS[name];
}
