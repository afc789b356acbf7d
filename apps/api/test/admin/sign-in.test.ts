import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NonceResponse, SessionResponse } from '@causeway/protocol/admin';
import {
  anAddressBook,
  ETHEREUM,
  PARTNER,
  SmartAccounts,
  startAnvil,
  type Anvil,
  type OwnedAccount,
} from '@causeway/test-kit';
import { hashMessage, serializeErc6492Signature, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { createSiweMessage, type SiweMessage } from 'viem/siwe';
import { createNonce } from '../../src/admin/access/sign-in-nonce.js';
import { refusal } from '../temporary-api.js';
import { CONSOLE, temporaryAdmin, type AdminAnswer, type TemporaryAdmin } from './temporary-admin.js';

// Sign-In with Ethereum; two real chains check the signatures.

let chains: { readonly ethereum: Anvil; readonly partner: Anvil };
let accounts: SmartAccounts;
/** A smart account on the allow-list, deployed by the test of smart accounts. */
let smart: OwnedAccount;
let t: TemporaryAdmin;
beforeAll(async () => {
  const [ethereum, partner] = await Promise.all([startAnvil({ chainId: ETHEREUM }), startAnvil({ chainId: PARTNER })]);
  chains = { ethereum, partner };
  accounts = new SmartAccounts(ethereum.client, ethereum.wallet);
  smart = await accounts.ownedBy(newKey());
  t = await temporaryAdmin({ ...chains, book: anAddressBook() }, {}, [`${smart.address}:operator`]);
});
afterAll(async () => {
  await t?.close();
  await Promise.all([chains?.ethereum.stop(), chains?.partner.stop()]);
});

const newKey = () => privateKeyToAccount(generatePrivateKey());

async function newNonce(client = '192.0.2.1'): Promise<string> {
  const answer = await t.send({
    url: '/sign-in/nonce',
    method: 'POST',
    headers: { origin: CONSOLE },
    remoteAddress: client,
  });
  return (answer.body as NonceResponse).nonce;
}

/** Writes a message like the console, with a fresh nonce unless `over` has one. */
async function messageFor(address: Address, over: Partial<SiweMessage> = {}): Promise<string> {
  const now = Date.now();
  return createSiweMessage({
    address,
    domain: new URL(CONSOLE).host,
    uri: CONSOLE,
    chainId: PARTNER,
    version: '1',
    nonce: over.nonce ?? (await newNonce()),
    issuedAt: new Date(now),
    expirationTime: new Date(now + 300_000),
    ...over,
  });
}

async function post(body: object, headers: Record<string, string> = {}): Promise<AdminAnswer> {
  return t.send({
    url: '/sign-in',
    method: 'POST',
    headers: { origin: CONSOLE, 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(body),
  });
}

async function signIn(
  account: PrivateKeyAccount,
  over: Partial<SiweMessage> = {},
  headers: Record<string, string> = {},
) {
  const message = await messageFor(account.address, over);
  return post({ message, signature: await account.signMessage({ message }) }, headers);
}

const getCookie = ({ headers }: AdminAnswer) => String(headers['set-cookie']).split(';')[0] ?? '';
const sessionAt = async (cookie: string) => t.send({ url: '/session', headers: { cookie } });

describe('a member who signs in', () => {
  it.each([
    ['Ethereum', ETHEREUM],
    ['the partner chain', PARTNER],
  ])('gets a session by a message for %s', async (_, chainId) => {
    const answer = await signIn(t.members.operator, { chainId });
    expect(answer).toMatchObject({
      status: 200,
      body: { address: t.members.operator.address.toLowerCase(), role: 'operator' },
      headers: { 'cache-control': 'no-store' },
    });
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-causeway-admin=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(await sessionAt(getCookie(answer))).toMatchObject({ status: 200, body: answer.body });
  });

  it('ends the session of the sent cookie and gets a new token', async () => {
    const first = getCookie(await signIn(t.members.viewer));
    const second = getCookie(await signIn(t.members.viewer, {}, { cookie: first }));
    expect(second).not.toBe(first);
    expect((await sessionAt(first)).status).toBe(401);
    expect((await sessionAt(second)).status).toBe(200);
  });

  it('does not adopt a token that someone else chose', async () => {
    const chosen = `__Host-causeway-admin=${'A'.repeat(43)}`;
    const answer = await signIn(t.members.viewer, {}, { cookie: chosen });
    expect(getCookie(answer)).not.toBe(chosen);
    expect((await sessionAt(chosen)).status).toBe(401);
  });

  it('needs a smart account to be deployed on Ethereum, and cannot use it elsewhere', async () => {
    const message = await messageFor(smart.address, { chainId: ETHEREUM });
    const signature = await smart.owner.sign!({ hash: hashMessage(message) });
    const wrapped = serializeErc6492Signature({ address: smart.factory, data: smart.factoryData, signature });
    expect(await post({ message, signature: wrapped })).toEqual(
      refusal(401, 'SIGN_IN_REFUSED', expect.stringContaining('deploy')),
    );

    const hash = await chains.ethereum.wallet.sendTransaction({ to: smart.factory, data: smart.factoryData });
    await chains.ethereum.client.waitForTransactionReceipt({ hash });
    const again = await messageFor(smart.address, { chainId: ETHEREUM });
    const accepted = await post({ message: again, signature: await smart.owner.sign!({ hash: hashMessage(again) }) });
    expect(accepted).toMatchObject({ status: 200, body: { address: smart.address, role: 'operator' } });
    // On the other chain, a stranger's contract at the same address accepts every signature.
    await chains.partner.test.setCode({ address: smart.address, bytecode: '0x631626ba7e60e01b5f5260205ff3' });
    const elsewhere = await messageFor(smart.address, { chainId: PARTNER });
    expect(await post({ message: elsewhere, signature: '0x12' })).toEqual(
      refusal(401, 'SIGN_IN_REFUSED', expect.stringContaining(`must sign in on chain ${ETHEREUM}`)),
    );
  });
});

describe('a sign-in is refused', () => {
  it('when its nonce was used before', async () => {
    const message = await messageFor(t.members.admin.address);
    const body = { message, signature: await t.members.admin.signMessage({ message }) };
    // One of two concurrent attempts succeeds.
    const statuses = (await Promise.all([post(body), post(body)])).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401]);
    expect(await post(body)).toEqual(refusal(401, 'SIGN_IN_REFUSED', expect.stringContaining('nonce')));
  });

  it('when its nonce was used with the right signature, was never issued, or has expired', async () => {
    const nonce = await newNonce();
    expect((await signIn(t.members.admin, { nonce, uri: 'https://evil.example' })).status).toBe(401);
    const { key } = await t.store.adminNonces.key();
    const expired = createNonce({ key, now: new Date(Date.now() - 301_000) }).nonce;
    for (const used of [nonce, 'neverissued12345', expired])
      expect(await signIn(t.members.admin, { nonce: used })).toEqual(
        refusal(401, 'SIGN_IN_REFUSED', expect.stringContaining('nonce')),
      );
  });

  it.each<[string, Partial<SiweMessage>]>([
    ['domain', { domain: 'evil.example' }],
    ['URI', { uri: 'https://evil.example' }],
    ['chain ID', { chainId: 1 }],
    ['issued-at', { issuedAt: new Date(Date.now() + 120_000), expirationTime: new Date(Date.now() + 300_000) }],
    ['expiration time', { issuedAt: new Date(Date.now() - 300_000), expirationTime: new Date(Date.now() - 1) }],
    ['not-before', { notBefore: new Date(Date.now() + 200_000) }],
  ])('for an invalid or untimely %s, which it names', async (field, over) => {
    expect(await signIn(t.members.admin, over)).toEqual(
      refusal(401, 'SIGN_IN_REFUSED', expect.stringContaining(field)),
    );
  });

  it('with the same message for members and strangers while the signature is wrong', async () => {
    const refusals = await Promise.all(
      [t.members.admin.address, newKey().address].map(async (address) => {
        const message = await messageFor(address);
        const answer = await post({ message, signature: await newKey().signMessage({ message }) });
        return JSON.stringify([answer.status, answer.body]).replace(address.toLowerCase(), '0x');
      }),
    );
    expect(refusals[0]).toBe(refusals[1]);
    expect(refusals[0]).toContain('SIGN_IN_REFUSED');
  });

  it('for a stranger with a valid signature', async () => {
    expect(await signIn(newKey())).toEqual(refusal(401, 'SIGN_IN_REFUSED', expect.stringContaining('allow-list')));
  });

  it.each<[string, object]>([
    ['message', { signature: '0x12' }],
    ['message', { message: 'hello', signature: '0x12' }],
    ['message', { message: 7, signature: '0x12' }],
    ['message', { message: 'x'.repeat(5_000), signature: '0x12' }],
    ['signature', { message: 'hello' }],
    ['role', { message: 'hello', signature: '0x12', role: 'admin' }],
  ])('with 400 that names %s', async (field, body) => {
    expect(await post(body)).toEqual(refusal(400, 'VALIDATION_ERROR', expect.stringMatching(new RegExp(`^${field} `))));
  });

  it('with 400 for a signature that is not hex', async () => {
    const message = await messageFor(t.members.admin.address);
    expect(await post({ message, signature: 'hello' })).toEqual(
      refusal(400, 'SIGNATURE_INVALID', expect.stringMatching(/^signature /)),
    );
  });

  it('with 503 while the nodes fail, keeping the nonce valid', async () => {
    const away = await temporaryAdmin();
    const send = async (url: string, payload?: object) =>
      away.send({
        url,
        method: 'POST',
        headers: { origin: CONSOLE, 'content-type': 'application/json' },
        payload: JSON.stringify(payload ?? {}),
      });
    const { nonce } = (await send('/sign-in/nonce')).body as NonceResponse;
    const message = await messageFor(away.members.admin.address, { nonce });
    const body = { message, signature: await away.members.admin.signMessage({ message }) };
    const answer = await send('/sign-in', body);
    expect(answer).toEqual(refusal(503, 'SIGNATURE_VERIFICATION_UNAVAILABLE'));
    expect(answer.headers['retry-after']).toBe('2');
    expect((await send('/sign-in', body)).status).toBe(503);
    await away.close();
  });
});

describe('nonces', () => {
  it('requested by strangers do not lock members out, even at the same address', async () => {
    const answers = [];
    for (let asked = 0; asked < 25; asked += 1)
      answers.push(await t.send({ url: '/sign-in/nonce', method: 'POST', headers: { origin: CONSOLE } }));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers[0]?.body).toMatchObject({ chainIds: [ETHEREUM, PARTNER] });
    const nonces = answers.map(({ body }) => (body as NonceResponse).nonce);
    expect(new Set(nonces).size).toBe(25);
    expect((await signIn(t.members.viewer, { nonce: nonces[0]! })).status).toBe(200);
  });

  it('are stored only with a valid signature: failures leave no row, and the member can use the same nonce', async () => {
    const rows = async () => {
      const { rows: counts } = await t.sql.query(
        'SELECT (SELECT count(*) FROM admin_nonce) AS used, (SELECT count(*) FROM admin_audit) AS noted',
      );
      return counts[0] as unknown;
    };
    const before = await rows();
    const message = await messageFor(t.members.operator.address);
    expect((await post({ message, signature: await newKey().signMessage({ message }) })).status).toBe(401);
    expect((await signIn(newKey())).status).toBe(401);
    expect(await rows()).toEqual(before);
    const body = { message, signature: await t.members.operator.signMessage({ message }) };
    expect((await post(body)).status).toBe(200);
    expect(await rows()).not.toEqual(before);
  });

  it('share one key, whichever process creates it first', async () => {
    await t.sql.query('DELETE FROM admin_nonce_key');
    const keys = await Promise.all(Array.from({ length: 5 }, async () => t.store.adminNonces.key()));
    expect(new Set(keys.map(({ key }) => Buffer.from(key).toString('hex'))).size).toBe(1);
    await expect(t.sql.query(`INSERT INTO admin_nonce_key VALUES (2, sha256('x'))`)).rejects.toThrow('is_one');
  });
});

describe('the audit log', () => {
  it('has successful and refused sign-ins of members, but none of strangers', async () => {
    const session = (await signIn(t.members.viewer)).body as SessionResponse;
    await signIn(t.members.viewer, { uri: 'https://evil.example' });
    await signIn(newKey());
    const { rows } = await t.store.adminAudit.page(
      { actor: null, action: null, subject: null },
      { start: null, limit: 2 },
    );
    const actor = t.members.viewer.address.toLowerCase();
    expect(rows).toMatchObject([
      { actor, role: 'viewer', sessionId: null, action: 'sign-in-refused', subject: actor },
      { actor, role: 'viewer', sessionId: session.id, action: 'sign-in', subject: session.id },
    ]);
  });
});
