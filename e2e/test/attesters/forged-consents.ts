import { lower } from '@causeway/chain';
import type { AttestItem } from '@causeway/protocol/attest';
import { getDomain } from './consent.js';
import type { Base, Forged, Forgery, Honest, Scene } from './forgery.js';

// Honest items for which the thief requests signatures that it could misuse.

const ANOTHER_DIGEST = /Its digest is another one/;
const NOT_OF_THE_CALL = /Its items are not of the call/;

function ask(
  base: Base,
  name: string,
  refusal: Forgery['refusal'],
  forge: (honest: Honest, scene: Scene) => Forged | Promise<Forged>,
): Forgery {
  return { name: `consent to ${base}: ${name}`, base, refusal, forge };
}

/** Shows attesters the honest item, but requests a signature for another item with the same id. */
const switchTo = (base: Base, name: string, change: (honest: Honest, scene: Scene) => AttestItem) =>
  ask(base, name, ANOTHER_DIGEST, (honest, scene) => ({ shown: [honest[base]], asked: [change(honest, scene)] }));

export const FORGED_CONSENTS: readonly Forgery[] = [
  ask('MINT', 'a set to come', /The contract has the attester set/, ({ MINT }) => ({
    asked: [MINT],
    consent: { setNumber: 2n },
  })),
  ask('RELEASE', 'no set', /The contract has the attester set/, ({ RELEASE }) => ({
    asked: [RELEASE],
    consent: { setNumber: 0n },
  })),
  ask('MINT', 'an end that has passed', /It ended at/, ({ MINT }) => ({
    asked: [MINT],
    consent: { aheadSeconds: -1 },
  })),
  ask('RELEASE', 'an end ten minutes too late', /more than \d+ s after/, ({ RELEASE }) => ({
    asked: [RELEASE],
    consent: { aheadSeconds: 1_200 },
  })),
  ask('INTENT', 'an end without an end', /more than \d+ s after/, ({ INTENT }) => ({
    asked: [INTENT],
    consent: { aheadSeconds: 2 ** 31 },
  })),
  ask('MINT', 'the other contract', ANOTHER_DIGEST, ({ MINT }, { environment: { book } }) => ({
    asked: [MINT],
    domain: getDomain(book, 'ethereum'),
  })),
  ask('RELEASE', 'the other contract', ANOTHER_DIGEST, ({ RELEASE }, { environment: { book } }) => ({
    asked: [RELEASE],
    domain: getDomain(book, 'partner'),
  })),
  ask('INTENT', 'the main network of Ethereum', ANOTHER_DIGEST, ({ INTENT }, { environment: { book } }) => ({
    asked: [INTENT],
    domain: { ...getDomain(book, 'ethereum'), chainId: 1 },
  })),
  ask('REFUND', 'another chain', ANOTHER_DIGEST, ({ REFUND }, { environment: { book } }) => ({
    asked: [REFUND],
    domain: { ...getDomain(book, 'partner'), chainId: 1 },
  })),
  ask('MINT', 'as a release', NOT_OF_THE_CALL, ({ MINT }) => ({ asked: [MINT], batch: { call: 'RELEASE_MANY' } })),
  ask('REFUND', 'as a mint', NOT_OF_THE_CALL, ({ REFUND }) => ({ asked: [REFUND], batch: { call: 'MINT_MANY' } })),
  ask('MINT', 'twice in one batch', /names an item twice/, ({ MINT }) => ({ shown: [MINT], asked: [MINT, MINT] })),
  ask('RELEASE', 'twice in one batch', /names an item twice/, ({ RELEASE }) => ({
    shown: [RELEASE],
    asked: [RELEASE, RELEASE],
  })),
  ask('MINT', 'beside a forged one', 'WRONG_AMOUNT', ({ MINT }, { others }) => {
    const { payment } = MINT;
    const forged = { ...MINT, payment: { ...payment, amount: payment.amount + 1n } };
    return { asked: [others.MINT, forged] };
  }),
  ask('RELEASE', 'behind a forged one', 'WRONG_RECIPIENT', ({ RELEASE }, { others, mallory }) => {
    const { payment } = RELEASE;
    const forged = { ...RELEASE, payment: { ...payment, recipient: lower(mallory.address) } };
    return { asked: [forged, others.RELEASE] };
  }),
  ask('MINT', 'with a withdrawal', NOT_OF_THE_CALL, ({ MINT }, { others }) => ({
    asked: [MINT],
    shown: [MINT, others.RELEASE],
    batch: { ids: [MINT.id, others.RELEASE.id] },
  })),
  ask('INTENT', 'two in one call', NOT_OF_THE_CALL, ({ INTENT }, { others }) => ({
    asked: [INTENT],
    shown: [INTENT, others.INTENT],
    batch: { ids: [INTENT.id, others.INTENT.id] },
  })),
  ask('RELEASE', 'that was not shown', /was not shown/, ({ RELEASE }, { others }) => ({
    shown: [],
    asked: [RELEASE],
    batch: { ids: [`0x${'77'.repeat(32)}`, others.RELEASE.id] },
  })),
  switchTo('MINT', 'of more', ({ MINT }) => ({ ...MINT, payment: { ...MINT.payment, amount: 10n ** 12n } })),
  switchTo('MINT', 'to the thief', ({ MINT }, { mallory }) => ({
    ...MINT,
    payment: { ...MINT.payment, recipient: lower(mallory.address) },
  })),
  switchTo('RELEASE', 'of another number', ({ RELEASE }) => ({
    ...RELEASE,
    payment: { ...RELEASE.payment, withdrawNonce: RELEASE.payment.withdrawNonce + 9_000n },
  })),
  switchTo('INTENT', 'without its fee', ({ INTENT }) => ({ ...INTENT, fee: 0n })),
  switchTo('INTENT', 'with another signature', ({ INTENT }) => ({
    ...INTENT,
    intent: { ...INTENT.intent, signature: '0x' },
  })),
  switchTo('REFUND', 'to the thief', ({ REFUND }, { mallory }) => ({ ...REFUND, recipient: lower(mallory.address) })),
  switchTo('TOKEN_REFUND', 'from another wallet', ({ TOKEN_REFUND }, { environment }) => ({
    ...TOKEN_REFUND,
    wallet: lower(environment.accounts.alice.address),
  })),
];
