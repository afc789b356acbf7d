import type { Happening } from './environment/schedule.ts';
import { PLANTS, type Change, type Plant } from './plants.ts';

const verifier = (path: string) => `packages/verifier/src/${path}.ts`;
const relayer = (path: string) => `apps/relayer/src/${path}.ts`;
const store = (path: string) => `packages/store/src/${path}.ts`;

const JUDGE = verifier('judge-delivery');
const REFUND = verifier('judge-refund');
const ACCEPTANCE = verifier('checks/acceptance');
const PAYMENT = verifier('checks/payment');
const COLLATERAL = verifier('checks/collateral');
const PAID = verifier('checks/paid-before');
const EVENTS = 'packages/chain/src/blocks/bridge-events.ts';
const TERMS = relayer('stages/event-terms');
const ENCODE = relayer('stages/encode-delivery');
const ENCODE_REFUND = relayer('stages/refund/encode-refund');
const ITEMS = relayer('exchange/items');
const WINDOW = store('intents/payment-window');
const BIND = store('intents/bind-transfer');

/** Every kind of delivery, without a fault. */
const DELIVERIES: readonly Happening[] = [
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

/** Payments that are returned, beside equal ones that are not. */
const RETURNS: readonly Happening[] = [
  { atMs: 1_000, kind: 'intent', user: 0, payment: 'late twin', way: 'plain', isBound: true, isNamed: false },
  { atMs: 2_000, kind: 'intent', user: 1, payment: 'after a stranger', way: 'plain', isBound: false, isNamed: false },
  { atMs: 3_000, kind: 'intent', user: 2, payment: 'right', way: 'forwarded', isBound: true, isNamed: false },
  { atMs: 4_000, kind: 'intent', user: 2, payment: 'twice', way: 'plain', isBound: true, isNamed: false },
  { atMs: 20_000, kind: 'mistake', side: 'partner', asset: 'USDC', user: 0, way: 'plain', size: 'usual' },
  { atMs: 20_001, kind: 'mistake', side: 'partner', asset: 'ETH', user: 0, way: 'plain', size: 'usual' },
  { atMs: 21_000, kind: 'mistake', side: 'partner', asset: 'XCN', user: 1, way: 'plain', size: 'usual' },
];

/** Alone in their blocks, so that no batch contains them. */
const LONE: readonly Happening[] = [
  { atMs: 1_000, kind: 'deposit', asset: 'USDC', user: 1 },
  { atMs: 30_000, kind: 'burn', asset: 'USDC', user: 1 },
];

/** A paid number, reopened together with one that a thief used up. */
const OPENED: readonly Happening[] = [
  { atMs: 30_000, kind: 'burn', asset: 'ETH', user: 0 },
  { atMs: 120_000, kind: 'used-up number', side: 'ethereum', isWide: true },
];

/** A mint between the release of a burn and its retirement. */
const UNRETIRED: readonly Happening[] = [
  { atMs: 1_000, kind: 'deposit', asset: 'ETH', user: 0 },
  { atMs: 8_000, kind: 'burn', asset: 'ETH', user: 0 },
  { atMs: 70_000, kind: 'deposit', asset: 'ETH', user: 1 },
];

const plantIn = (happenings: readonly Happening[], ...changes: readonly Change[]): Plant => ({
  changes,
  schedule: { seed: 2, happenings },
});
const plant = (file: string, from: string, to: string): Plant => plantIn(DELIVERIES, { file, from, to });
/** A bug in the reading of events, which the relayer itself would notice before it pays. */
const plantInEvents = (from: string, to: string): Plant =>
  plantIn(DELIVERIES, { file: EVENTS, from, to }, { file: TERMS, from: `if (kind === 'INTENT') `, to: '' });
const plantInReturns = (file: string, from: string, to: string): Plant => plantIn(RETURNS, { file, from, to });
const plantInLone = (file: string, from: string, to: string): Plant => plantIn(LONE, { file, from, to });

/** Bugs of the verifier, which the relayer's payments and rows reveal. */
export const VERIFIER_PLANTS: Readonly<Record<string, Plant>> = {
  'verifier: amount of a number': plant(JUDGE, `expectSame('WRONG_AMOUNT', amount, event.amount - event.fee);`, ''),
  'verifier: recipient': plant(JUDGE, `expectSame('WRONG_RECIPIENT', recipient, event.recipient);`, ''),
  'verifier: token': plant(JUDGE, `expectSame('WRONG_TOKEN', token, asset.tokens[to]);`, ''),
  'verifier: fee of a withdrawal': plant(JUDGE, `expectSame('WRONG_FEE', fee, event.fee);`, ''),
  'verifier: fee paid out': plant(JUDGE, 'event.amount - event.fee', 'event.amount'),
  'verifier: no hold': plant(JUDGE, 'chainSeconds < chainEnd || now() < ownEnd', 'false'),
  'verifier: hold in milliseconds': plant(
    JUDGE,
    'Number(timestamp) + holdSeconds',
    'Number(timestamp) + holdSeconds * 1000',
  ),
  'verifier: a confirmation too few': plant(
    verifier('nodes/finality'),
    'BigInt(this.confirmations[side]) + 1n',
    'BigInt(this.confirmations[side]) + 2n',
  ),
  'verifier: fee of an intent': plant(JUDGE, `expectSame('WRONG_FEE', fee, acceptance.fee);`, ''),
  'verifier: amount of an intent': plant(JUDGE, `expectSame('WRONG_AMOUNT', intent.amount, payment.value);`, ''),
  'verifier: payer of an intent': plantInReturns(JUDGE, `expectSame('WRONG_SENDER', payment.from, intent.sender);`, ''),
  'verifier: wallet of an intent': plantInReturns(
    JUDGE,
    `expectSame('WRONG_WALLET', payment.to, await readWalletAt(verifier, origin.blockNumber));`,
    '',
  ),
  'verifier: deadline of an intent': plantInReturns(JUDGE, 'timestamp > intent.deadline', 'false'),
  'verifier: acceptance after the transfer': plant(JUDGE, 'judgedAtBlock >= origin.blockNumber', 'false'),
  'verifier: acceptance of seconds': plant(JUDGE, 'const JUDGED_SECONDS = 1_800n + 600n', 'const JUDGED_SECONDS = 8n'),
  'verifier: any key': plant(ACCEPTANCE, '(await recoverSigner(intentId, signature)) === sender', 'hasOnlyKey'),
  'verifier: any answer of an account': plant(ACCEPTANCE, 'answer !== MAGIC', `answer === '0x'`),
  'verifier: no least fee': plant(ACCEPTANCE, 'share < minFee ? minFee : share', 'share'),
  'verifier: fee in percent': plant(ACCEPTANCE, '(amount * bps) / 10_000n', '(amount * bps) / 100n'),
  'verifier: first call of a transaction': plant(PAYMENT, 'calls[callIndex]', 'calls[0]'),
  'verifier: collateral without handed-in tokens': plantIn(UNRETIRED, {
    file: COLLATERAL,
    from: 'supply - held',
    to: 'supply',
  }),
  'verifier: paid before its number was opened': plantIn(OPENED, { file: PAID, from: 'if (same)', to: 'if (false)' }),
  'verifier: refunded transfers are free': plantInReturns(
    PAID,
    'await checkNotRefunded(verifier, transferId, finals);',
    '',
  ),
  'verifier: the transfer beside': plant(
    JUDGE,
    'computeRefundId({ ...transfer, asset })',
    'computeRefundId({ ...transfer, asset, callIndex: callIndex + 1 })',
  ),
  'verifier: coin that is not in the float': plant(JUDGE, 'swept.length > 0', 'true'),
  'verifier: one sweep is too few': plant(JUDGE, 'swept.length > 0', 'swept.length > 1'),
  'verifier: coin of the intent instead of its transfer': plant(
    JUDGE,
    '{ transferId, amount: intent.amount,',
    '{ transferId: id, amount: intent.amount,',
  ),
  'verifier: recipient of a refund': plantInReturns(
    REFUND,
    'amount, payer, recipient };',
    'amount, payer, recipient: payer };',
  ),
  'verifier: wallet of a refund': plantInReturns(REFUND, `expectSame('WRONG_WALLET', wallet, arrival.wallet);`, ''),
  'verifier: one operator signs twice': plantInReturns(
    REFUND,
    'operators.addresses.filter((operator) => signers.includes(operator))',
    'signers.filter((signer) => operators.addresses.includes(signer)).keys()',
  ),
  'verifier: amount of a refund': plantInReturns(REFUND, `expectSame('WRONG_AMOUNT', amount, arrival.amount);`, ''),
  'verifier: refund paid before': plantInReturns(
    REFUND,
    'await (token === COIN ? checkCoinIsFree : checkNotRefunded)(verifier, id, finals);',
    '',
  ),
  'verifier: every transfer belongs to a burn': plantInReturns(REFUND, 'before < burns', 'before <= burns'),
  'verifier: log of its transaction': plantInReturns(verifier('nodes/proven-block'), 'logIndex += logs.length;', ''),
  'verifier: gas of a receipt': plant(verifier('blocks/receipt'), `receipt['cumulativeGasUsed']`, `receipt['gasUsed']`),
  'verifier: fee of a transaction': plant(
    verifier('blocks/transaction'),
    `  'maxFeePerGas',`,
    `  'maxPriorityFeePerGas',`,
  ),
};

/** Bugs of the relayer, which make the verifier refuse. */
export const RELAYER_PLANTS: Readonly<Record<string, Plant>> = {
  'relayer: recipient of a deposit': plantInEvents(
    `recipient: readAddress(args, 'recipient'),`,
    `recipient: readAddress(args, 'sender'),`,
  ),
  'relayer: recipient of a withdrawal': plantInEvents(
    `recipient: readAddress(args, 'destination'),`,
    `recipient: readAddress(args, 'sender'),`,
  ),
  'relayer: own fee of a withdrawal': plantInEvents(
    `readInteger(args, 'fee'),`,
    `readInteger(args, 'amount') * BigInt(feeBps) / 10000n,`,
  ),
  'relayer: fee of an intent': plant(ENCODE, 'transferId, fee, attestation]', 'transferId, fee + 1n, attestation]'),
  'relayer: transfer of an intent': plant(
    ENCODE,
    'getTransferId(book.partner.chainId, transfer)',
    'getTransferId(book.partner.chainId, { ...transfer, callIndex: transfer.callIndex + 1 })',
  ),
  'relayer: number of a single mint': plant(
    ENCODE,
    'const args = [requireNumber(operation), token, recipient, outputAmount] as const;',
    'const args = [requireNumber(operation) + 1n, token, recipient, outputAmount] as const;',
  ),
  'relayer: token of a single mint': plantInLone(
    ENCODE,
    `getToken(book, 'partner', asset)`,
    `getToken(book, 'partner', 'ETH')`,
  ),
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
  'relayer: amounts of a batch of mints': {
    ...plant(
      ENCODE,
      `amount: operation.outputAmount,
  }));`,
      `amount: operations[0].outputAmount,
  }));`,
    ),
    // With this seed a batch has different amounts.
    schedule: { seed: 3, happenings: DELIVERIES },
  },
  'relayer: recipient of a single release': plantInLone(
    ENCODE,
    'const { asset, recipient, outputAmount, fee } = operation;',
    'const { asset, sender: recipient, outputAmount, fee } = operation;',
  ),
  'relayer: amount of a single release': plantInLone(
    ENCODE,
    'const { asset, recipient, outputAmount, fee } = operation;',
    'const { asset, recipient, amount: outputAmount, fee } = operation;',
  ),
  'relayer: fee of a single release': plantInLone(
    ENCODE,
    'args: [nonce, token, recipient, outputAmount, fee]',
    'args: [nonce, token, recipient, outputAmount, 0n]',
  ),
  'relayer: recipients of a batch of releases': plant(
    ENCODE,
    `token: getToken(book, 'ethereum', operation.asset),
    recipient: operation.recipient,`,
    `token: getToken(book, 'ethereum', operation.asset),
    recipient: operations[0].recipient,`,
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
  'relayer: payer of a transfer': plantIn(
    RETURNS,
    { file: WINDOW, from: 'AND o.sender = t.payer AND', to: 'AND' },
    { file: BIND, from: 'operation.sender === transfer.payer &&', to: '' },
  ),
  'relayer: more than the amount': plantIn(
    DELIVERIES,
    { file: WINDOW, from: 'o.amount = t.amount', to: 'o.amount <= t.amount' },
    { file: BIND, from: 'operation.amount.equals(transfer.amount)', to: 'operation.amount.lte(transfer.amount)' },
  ),
  'relayer: transfer after the deadline': plantIn(
    DELIVERIES,
    { file: WINDOW, from: ' AND t.mined_at <= i.expires_at', to: '' },
    { file: WINDOW, from: 'minedAt <= expiresAt', to: 'true' },
  ),
  'relayer: hold from the origin on': plant(
    relayer('stages/finalize'),
    'chain.finality.blockAt(finalBlockNumber(origin, required))',
    'chain.finality.blockAt(origin.blockNumber)',
  ),
  'relayer: coin that is not in the float': plant(
    store('operations/operation-repository'),
    `(kind <> 'INTENT' OR `,
    `(true OR `,
  ),
  'relayer: a confirmation too few': plant(
    relayer('pipeline/origin'),
    'Math.max(operation.requiredConfirmations, confirmations)',
    'Math.max(operation.requiredConfirmations, confirmations) - 1',
  ),
  'relayer: judged later': plant(ITEMS, 'judgedAtBlock,\n  };', 'judgedAtBlock: judgedAtBlock + 9n,\n  };'),
  'relayer: origin in the block before': plant(
    ITEMS,
    'blockNumber: origin.blockNumber,',
    'blockNumber: origin.blockNumber - 1n,',
  ),
  'relayer: first call of a transaction': plant(
    ITEMS,
    'return { blockNumber, transactionHash, callIndex };',
    'return { blockNumber, transactionHash, callIndex: 0 };',
  ),
  'relayer: recipient of a refund': plantInReturns(
    ENCODE_REFUND,
    'args: [refundId, token, recipient, paidAmount, attestation]',
    'args: [refundId, token, wallet, paidAmount, attestation]',
  ),
  'relayer: amount of a refund': plantInReturns(
    ITEMS,
    'amount: payment.paidAmount,',
    'amount: payment.paidAmount - 1n,',
  ),
};

/** Finds a planted bug by its name. */
export function findPlant(name: string): Plant | undefined {
  return PLANTS[name] ?? VERIFIER_PLANTS[name] ?? RELAYER_PLANTS[name];
}
