import { lower } from '@causeway/chain';
import { getToken } from '@causeway/protocol';
import { computeRefundId, type RefundApproval } from '@causeway/verifier';
import { forgeItem, makeWrongId, NO_HASH, NO_TOKEN, NOT_FINAL, type Forgery, type Scene } from './forgery.js';
import { approveRefund, type Item } from './origins.js';

type Refund = Item<'REFUND'>;

/** Changes the arrival, with the id that follows from it. */
function withArrival(item: Refund, { environment }: Scene, place: Partial<Refund['arrival']>, asset: string): Refund {
  const arrival = { ...item.arrival, ...place };
  return { ...item, arrival, id: computeRefundId({ chainId: environment.book.partner.chainId, asset, ...arrival }) };
}

const withApproval = (item: Refund, approval: Partial<RefundApproval>): Refund => ({
  ...item,
  approval: { ...item.approval, ...approval } as Refund['approval'],
});

const approvals = (base: 'REFUND' | 'TOKEN_REFUND'): readonly Forgery[] => [
  forgeItem(base, 'one operator', 'NOT_APPROVED', (item) =>
    withApproval(item, { signatures: item.approval.signatures.slice(1) }),
  ),
  forgeItem(base, 'one operator twice', 'NOT_APPROVED', (item) =>
    withApproval(item, { signatures: [item.approval.signatures[0]!, item.approval.signatures[0]!] }),
  ),
  forgeItem(base, 'no operator', 'NOT_APPROVED', (item) => withApproval(item, { signatures: [] })),
  forgeItem(base, 'the approval of another refund', 'NOT_APPROVED', (item, { others }) => ({
    ...item,
    approval: others.REFUND.approval,
  })),
];

export const FORGED_REFUNDS: readonly Forgery[] = [
  ...approvals('REFUND'),
  ...approvals('TOKEN_REFUND'),
  forgeItem('REFUND', 'one operator and the thief', 'NOT_APPROVED', async (item, { environment, mallory }) => {
    const { payer, amount } = { payer: item.recipient, amount: item.amount };
    const signers = [environment.accounts.firstOperator, mallory];
    return approveRefund(environment, { arrival: item.arrival, asset: 'XCN', payer, amount }, signers);
  }),
  forgeItem('REFUND', 'another reason', 'NOT_APPROVED', (item) => withApproval(item, { reason: 'mine' })),
  forgeItem('REFUND', 'another end of the approval', 'NOT_APPROVED', (item) =>
    withApproval(item, { validUntil: item.approval.validUntil + 1 }),
  ),
  forgeItem('REFUND', 'another state at the approval', 'NOT_APPROVED', (item) =>
    withApproval(item, { status: 'APPROVED' }),
  ),
  forgeItem('REFUND', 'another operation', 'NOT_APPROVED', (item) => withApproval(item, { operationId: NO_HASH })),
  forgeItem('REFUND', 'another id', 'WRONG_ID', (item) => ({ ...item, id: makeWrongId(item.id) })),
  forgeItem('REFUND', 'an arrival of no transaction', 'ORIGIN_NOT_FOUND', (item, scene) =>
    withArrival(item, scene, { transactionHash: NO_HASH }, 'XCN'),
  ),
  forgeItem('REFUND', 'a call inside of its arrival', 'ORIGIN_NOT_FOUND', (item, scene) =>
    withArrival(item, scene, { callIndex: 1 }, 'XCN'),
  ),
  forgeItem('REFUND', 'a block to come', NOT_FINAL, (item, scene) =>
    withArrival(item, scene, { blockNumber: item.arrival.blockNumber + 5_000n }, 'XCN'),
  ),
  forgeItem('REFUND', 'an arrival elsewhere', 'WRONG_WALLET', (item, scene) =>
    withArrival(item, scene, scene.made.elsewhere, 'XCN'),
  ),
  forgeItem('REFUND', 'another wallet', 'WRONG_WALLET', (item, { mallory }) => ({
    ...item,
    wallet: lower(mallory.address),
  })),
  forgeItem('REFUND', 'a token of no list', 'WRONG_TOKEN', (item) => ({ ...item, token: NO_TOKEN })),
  forgeItem('REFUND', 'coin as a token', 'ORIGIN_NOT_FOUND', (item, scene) => ({
    ...withArrival(item, scene, {}, 'USDC'),
    token: getToken(scene.environment.book, 'partner', 'USDC'),
  })),
  forgeItem('REFUND', 'the thief as its recipient', 'NOT_APPROVED', (item, { mallory }) => ({
    ...item,
    recipient: lower(mallory.address),
  })),
  forgeItem('REFUND', 'more than arrived', 'WRONG_AMOUNT', (item) => ({ ...item, amount: item.amount + 10n ** 10n })),
  forgeItem('REFUND', 'less than arrived', 'WRONG_AMOUNT', (item) => ({ ...item, amount: item.amount - 10n ** 10n })),
  forgeItem('REFUND', 'the payment of an intent, without an approval', 'NOT_APPROVED', (item, scene) => ({
    ...withArrival(item, scene, scene.others.INTENT.origin!, 'XCN'),
    amount: scene.others.INTENT.intent.amount,
    recipient: scene.others.INTENT.intent.sender,
  })),
  forgeItem('TOKEN_REFUND', 'one unit more', 'WRONG_AMOUNT', (item) => ({ ...item, amount: item.amount + 1n })),
  forgeItem('TOKEN_REFUND', 'one unit less', 'WRONG_AMOUNT', (item) => ({ ...item, amount: item.amount - 1n })),
  forgeItem('TOKEN_REFUND', 'another log', 'ORIGIN_NOT_FOUND', (item, scene) =>
    withArrival(item, scene, { callIndex: item.arrival.callIndex + 500 }, 'USDC'),
  ),
  forgeItem('TOKEN_REFUND', 'another wallet', 'WRONG_WALLET', (item, { environment }) => ({
    ...item,
    wallet: lower(environment.accounts.alice.address),
  })),
  forgeItem('TOKEN_REFUND', 'the thief as its recipient', 'NOT_APPROVED', (item, { mallory }) => ({
    ...item,
    recipient: lower(mallory.address),
  })),
  forgeItem('TOKEN_REFUND', 'the tokens of a burn', 'BELONGS_TO_BURN', async (item, scene) => {
    const { environment, others } = scene;
    const { transactionHash, blockNumber } = others.RELEASE.origin;
    const { logs } = await environment.partner.client.getTransactionReceipt({ hash: transactionHash });
    const token = getToken(environment.book, 'partner', 'USDC');
    const moved = logs.find(({ address, topics }) => lower(address) === lower(token) && topics.length === 3);
    const arrival = { transactionHash, blockNumber, callIndex: moved!.logIndex };
    const { amount, fee } = others.RELEASE.payment;
    return { ...withArrival(item, scene, arrival, 'USDC'), amount: amount + fee };
  }),
];
