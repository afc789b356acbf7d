import { lower } from '@causeway/chain';
import { getToken } from '@causeway/protocol';
import { computeIntentId, computeOperationId, type Intent } from '@causeway/verifier';
import { keccak256, stringToHex, type Address, type Hex } from 'viem';
import { COIN, getDomain } from './consent.js';
import { forgeItem, makeWrongId, NO_HASH, NO_TOKEN, NOT_FINAL, type Forgery, type Scene } from './forgery.js';
import { signIntent, type Item } from './origins.js';

type Mint = Item<'MINT'>;
type Release = Item<'RELEASE'>;
type IntentItem = Item<'INTENT'>;

const withMint = (item: Mint, terms: Partial<Mint['payment']>): Mint => ({
  ...item,
  payment: { ...item.payment, ...terms },
});
const withRelease = (item: Release, terms: Partial<Release['payment']>): Release => ({
  ...item,
  payment: { ...item.payment, ...terms },
});
const thief = ({ mallory }: Scene): Address => lower(mallory.address);

/** Makes a mint with an unused number. */
function inventMint({ environment }: Scene, item: Mint, terms: Partial<Mint['payment']>): Mint {
  const depositNonce = 40_000n + item.payment.depositNonce;
  const id = computeOperationId(getDomain(environment.book, 'ethereum'), depositNonce);
  return { ...withMint(item, { depositNonce, ...terms }), id };
}

function inventRelease({ environment }: Scene, item: Release, terms: Partial<Release['payment']>): Release {
  const withdrawNonce = 40_000n + item.payment.withdrawNonce;
  const id = computeOperationId(getDomain(environment.book, 'partner'), withdrawNonce);
  return { ...withRelease(item, { withdrawNonce, ...terms }), id };
}

const MINTS: readonly Forgery[] = [
  forgeItem('MINT', 'another id', 'WRONG_ID', (item) => ({ ...item, id: makeWrongId(item.id) })),
  forgeItem('MINT', 'the number of another deposit', 'WRONG_ID', (item, { others }) =>
    withMint(item, { depositNonce: others.MINT.payment.depositNonce }),
  ),
  forgeItem('MINT', 'a number of no deposit', 'ORIGIN_NOT_FOUND', (item, scene) => inventMint(scene, item, {})),
  forgeItem('MINT', 'native XCN, of the float', 'WRONG_TOKEN', (item) => withMint(item, { token: COIN })),
  forgeItem('MINT', 'another listed token', 'WRONG_TOKEN', (item, { environment }) =>
    withMint(item, { token: getToken(environment.book, 'partner', 'ETH') }),
  ),
  forgeItem('MINT', 'a token of no list', 'WRONG_TOKEN', (item) => withMint(item, { token: NO_TOKEN })),
  forgeItem('MINT', 'the token of the other chain', 'WRONG_TOKEN', (item, { environment }) =>
    withMint(item, { token: getToken(environment.book, 'ethereum', 'USDC') }),
  ),
  forgeItem('MINT', 'the thief as its recipient', 'WRONG_RECIPIENT', (item, scene) =>
    withMint(item, { recipient: thief(scene) }),
  ),
  forgeItem('MINT', 'one unit more', 'WRONG_AMOUNT', (item) => withMint(item, { amount: item.payment.amount + 1n })),
  forgeItem('MINT', 'a thousand times as much', 'WRONG_AMOUNT', (item) =>
    withMint(item, { amount: 1_000n * item.payment.amount }),
  ),
  forgeItem('MINT', 'one unit less', 'WRONG_AMOUNT', (item) => withMint(item, { amount: item.payment.amount - 1n })),
  forgeItem('MINT', 'an origin of no transaction', 'ORIGIN_NOT_FOUND', (item) => ({
    ...item,
    origin: { ...item.origin, transactionHash: NO_HASH },
  })),
  forgeItem('MINT', 'the origin of another deposit', 'ORIGIN_NOT_FOUND', (item, { others }) => ({
    ...item,
    origin: others.MINT.origin,
  })),
  forgeItem('MINT', 'an earlier block', 'ORIGIN_NOT_FOUND', (item) => ({
    ...item,
    origin: { ...item.origin, blockNumber: item.origin.blockNumber - 1n },
  })),
  forgeItem('MINT', 'a block to come', NOT_FINAL, (item) => ({
    ...item,
    origin: { ...item.origin, blockNumber: item.origin.blockNumber + 5_000n },
  })),
  forgeItem('MINT', 'a deposit that reverted', 'ORIGIN_FAILED', (item, { made }) => ({ ...item, origin: made.failed })),
  forgeItem('MINT', "an event of the thief's contract", 'ORIGIN_NOT_FOUND', (item, scene) => ({
    ...inventMint(scene, item, { amount: scene.made.amount, recipient: thief(scene) }),
    origin: scene.made.deposit,
  })),
  forgeItem('MINT', 'the whole float, invented', 'ORIGIN_NOT_FOUND', (item, scene) =>
    inventMint(scene, item, { token: COIN, amount: 10n ** 25n, recipient: thief(scene) }),
  ),
  forgeItem('MINT', 'a withdrawal as a deposit', 'ORIGIN_NOT_FOUND', (item, { others, environment }) => {
    const { withdrawNonce, recipient, amount } = others.RELEASE.payment;
    const depositNonce = 20_000n + withdrawNonce;
    const id = computeOperationId(getDomain(environment.book, 'ethereum'), depositNonce);
    return { ...withMint(item, { depositNonce, recipient, amount }), id, origin: others.RELEASE.origin };
  }),
  forgeItem('MINT', 'an id of the other contract', 'WRONG_ID', (item, { environment }) => ({
    ...item,
    id: computeOperationId(getDomain(environment.book, 'partner'), item.payment.depositNonce),
  })),
];

const RELEASES: readonly Forgery[] = [
  forgeItem('RELEASE', 'another id', 'WRONG_ID', (item) => ({ ...item, id: makeWrongId(item.id) })),
  forgeItem('RELEASE', 'the number of another withdrawal', 'WRONG_ID', (item, { others }) =>
    withRelease(item, { withdrawNonce: others.RELEASE.payment.withdrawNonce }),
  ),
  forgeItem('RELEASE', 'a number of no withdrawal', 'ORIGIN_NOT_FOUND', (item, scene) =>
    inventRelease(scene, item, {}),
  ),
  forgeItem('RELEASE', 'ETH', 'WRONG_TOKEN', (item) => withRelease(item, { token: COIN })),
  forgeItem('RELEASE', 'XCN', 'WRONG_TOKEN', (item, { environment }) =>
    withRelease(item, { token: getToken(environment.book, 'ethereum', 'XCN') }),
  ),
  forgeItem('RELEASE', 'a token of no list', 'WRONG_TOKEN', (item) => withRelease(item, { token: NO_TOKEN })),
  forgeItem('RELEASE', 'the thief as its recipient', 'WRONG_RECIPIENT', (item, scene) =>
    withRelease(item, { recipient: thief(scene) }),
  ),
  forgeItem('RELEASE', 'one unit more', 'WRONG_AMOUNT', (item) =>
    withRelease(item, { amount: item.payment.amount + 1n }),
  ),
  forgeItem('RELEASE', 'the amount before the fee', 'WRONG_FEE', (item) =>
    withRelease(item, { amount: item.payment.amount + item.payment.fee, fee: 0n }),
  ),
  forgeItem('RELEASE', 'a higher fee', 'WRONG_FEE', (item) =>
    withRelease(item, { amount: item.payment.amount - 1n, fee: item.payment.fee + 1n }),
  ),
  forgeItem('RELEASE', 'the fee twice', 'WRONG_FEE', (item) => withRelease(item, { fee: 2n * item.payment.fee })),
  forgeItem('RELEASE', 'an origin of no transaction', 'ORIGIN_NOT_FOUND', (item) => ({
    ...item,
    origin: { ...item.origin, transactionHash: NO_HASH },
  })),
  forgeItem('RELEASE', 'the origin of another withdrawal', 'ORIGIN_NOT_FOUND', (item, { others }) => ({
    ...item,
    origin: others.RELEASE.origin,
  })),
  forgeItem('RELEASE', 'an earlier block', 'ORIGIN_NOT_FOUND', (item) => ({
    ...item,
    origin: { ...item.origin, blockNumber: item.origin.blockNumber - 1n },
  })),
  forgeItem('RELEASE', 'a block to come', NOT_FINAL, (item) => ({
    ...item,
    origin: { ...item.origin, blockNumber: item.origin.blockNumber + 5_000n },
  })),
  forgeItem('RELEASE', "an event of the thief's contract", 'ORIGIN_NOT_FOUND', (item, scene) => ({
    ...inventRelease(scene, item, { amount: scene.made.amount, fee: 0n, recipient: thief(scene) }),
    origin: scene.made.withdrawal,
  })),
  forgeItem('RELEASE', 'all ETH of the lock, invented', 'ORIGIN_NOT_FOUND', (item, scene) =>
    inventRelease(scene, item, { token: COIN, amount: 10n ** 18n, fee: 0n, recipient: thief(scene) }),
  ),
];

/** Changes terms under the old signature. The id follows from the terms. */
const withTerms = (item: IntentItem, { environment }: Scene, terms: Partial<Intent>): IntentItem => {
  const intent = { ...item.intent, ...terms };
  return { ...item, intent, id: computeIntentId(getDomain(environment.book, 'partner'), intent) };
};

/** Makes terms with the signature of an account. */
const signTerms = async (item: IntentItem, scene: Scene, key: 'alice' | 'relayer', terms: Partial<Intent>) => {
  const { environment } = scene;
  const { signature: _, sender: __, ...old } = item.intent;
  const intent = await signIntent(environment, environment.accounts[key], item.intent.amount, { ...old, ...terms });
  return withTerms(item, scene, intent);
};

/** Returns the mirror image of a signature (EIP-2). */
function mirror(signature: Hex): Hex {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const s = order - BigInt(`0x${signature.slice(66, 130)}`);
  return `${signature.slice(0, 66) as Hex}${s.toString(16).padStart(64, '0')}${signature.endsWith('1b') ? '1c' : '1b'}`;
}

const INTENTS: readonly Forgery[] = [
  forgeItem('INTENT', 'another id', 'WRONG_ID', (item) => ({ ...item, id: makeWrongId(item.id) })),
  forgeItem('INTENT', 'another recipient under the old id', 'WRONG_ID', (item, scene) => ({
    ...item,
    intent: { ...item.intent, recipient: thief(scene) },
  })),
  forgeItem('INTENT', 'the thief as its recipient', 'SIGNATURE_INVALID', (item, scene) =>
    withTerms(item, scene, { recipient: thief(scene) }),
  ),
  forgeItem('INTENT', 'the thief as its sender', 'WRONG_SENDER', (item, scene) =>
    signTerms(item, scene, 'relayer', {}),
  ),
  forgeItem('INTENT', 'more than was paid, signed', 'WRONG_AMOUNT', (item, scene) =>
    signTerms(item, scene, 'alice', { amount: item.intent.amount + 10n ** 10n }),
  ),
  forgeItem('INTENT', 'another deadline', 'SIGNATURE_INVALID', (item, scene) =>
    withTerms(item, scene, { deadline: item.intent.deadline + 1n }),
  ),
  forgeItem('INTENT', 'a deadline before the payment, signed', 'DEADLINE_PASSED', (item, scene) =>
    signTerms(item, scene, 'alice', { deadline: 1_700_000_000n }),
  ),
  forgeItem('INTENT', 'another nonce', 'SIGNATURE_INVALID', (item, scene) =>
    withTerms(item, scene, { nonceHash: keccak256(stringToHex('again')) }),
  ),
  forgeItem('INTENT', 'the signature of another intent', 'SIGNATURE_INVALID', (item, { others }) => ({
    ...item,
    intent: { ...item.intent, signature: others.INTENT.intent.signature },
  })),
  forgeItem('INTENT', 'no signature', 'SIGNATURE_INVALID', (item) => ({
    ...item,
    intent: { ...item.intent, signature: '0x' },
  })),
  forgeItem('INTENT', 'the mirror image of its signature', 'SIGNATURE_INVALID', (item) => ({
    ...item,
    intent: { ...item.intent, signature: mirror(item.intent.signature) },
  })),
  forgeItem('INTENT', 'no fee', 'WRONG_FEE', (item) => ({ ...item, fee: 0n })),
  forgeItem('INTENT', 'a lower fee', 'WRONG_FEE', (item) => ({ ...item, fee: item.fee - 1n })),
  forgeItem('INTENT', 'a higher fee', 'WRONG_FEE', (item) => ({ ...item, fee: item.fee + 1n })),
  forgeItem('INTENT', 'an acceptance after its payment', 'ACCEPTANCE_TOO_OLD', (item) => ({
    ...item,
    judgedAtBlock: item.origin!.blockNumber + 1n,
  })),
  forgeItem(
    'INTENT',
    'an acceptance before there was a bridge',
    /ACCEPTANCE|30 minutes|no policy|accepted/,
    (item) => ({
      ...item,
      judgedAtBlock: 0n,
    }),
  ),
  forgeItem('INTENT', 'a payment of no transaction', 'ORIGIN_NOT_FOUND', (item) => ({
    ...item,
    origin: { ...item.origin!, transactionHash: NO_HASH },
  })),
  forgeItem('INTENT', 'a call inside of its payment', 'ORIGIN_NOT_FOUND', (item) => ({
    ...item,
    origin: { ...item.origin!, callIndex: 1 },
  })),
  forgeItem('INTENT', 'a block to come', NOT_FINAL, (item) => ({
    ...item,
    origin: { ...item.origin!, blockNumber: item.origin!.blockNumber + 5_000n },
  })),
  forgeItem('INTENT', 'a payment to another account', 'WRONG_WALLET', (item, { made }) => ({
    ...item,
    origin: made.elsewhere,
  })),
  forgeItem('INTENT', 'the payment of another intent', 'WRONG_AMOUNT', (item, { others }) => ({
    ...item,
    origin: others.INTENT.origin,
  })),
  forgeItem('INTENT', 'a payment of the relayer wallet to itself', 'WRONG_SENDER', async (item, scene) => ({
    ...(await signTerms(item, scene, 'relayer', { amount: scene.made.circleAmount, recipient: thief(scene) })),
    origin: scene.made.circle,
    judgedAtBlock: scene.made.circle.blockNumber - 1n,
  })),
  forgeItem('INTENT', 'a payment whose coin is not in the float', /is not in the float/, async (item, scene) => ({
    ...(await signTerms(item, scene, 'alice', { amount: scene.made.circleAmount })),
    origin: scene.made.unswept,
    judgedAtBlock: scene.made.unswept.blockNumber - 1n,
  })),
];

export const FORGED_DELIVERIES: readonly Forgery[] = [...MINTS, ...RELEASES, ...INTENTS];
