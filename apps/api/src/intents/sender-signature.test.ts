import { describe, expect, it } from '@jest/globals';
import { QuorumError, type ChainConnection } from '@causeway/chain';
import { intentDigest, intentDomain, type IntentDomain, type XcnWithdrawIntent } from '@causeway/protocol';
import {
  createPublicClient,
  custom,
  numberToHex,
  padHex,
  parseSignature,
  serializeCompactSignature,
  serializeErc6492Signature,
  signatureToCompactSignature,
  type Hex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { verifySenderSignature } from './sender-signature.js';

const LOCK = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0';
const domain = intentDomain({ chainId: 8_901, bridgeMint: '0x5fbdb2315678afecb367f032d93f642f64180aa3' });
const owner = privateKeyToAccount('0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a');
const stranger = privateKeyToAccount(generatePrivateKey());
const intent: XcnWithdrawIntent = {
  sender: owner.address,
  recipient: '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
  amount: 5_000n * 10n ** 18n,
  deadline: 2_000_000_000n,
  nonce: 'first',
};
const ACCEPTED = padHex('0x1626ba7e', { dir: 'right' });
const NO_CODE = { code: '0x' };
const NEVER_DEPLOYED = { code: '0x', nonce: '0x1' };
const CONTRACT = { code: '0x6000', answer: ACCEPTED };
const REFUSING = { code: '0x6000', answer: '0x' };
const DELEGATED = { code: `0xef0100${'c0'.repeat(20)}`, answer: '0x' };
const SIXTY_FOUR: Hex = `0x${'2a'.repeat(64)}`;
const TWO_OWNERS: Hex = `0x${'2a'.repeat(130)}`;

/** The chain's answers about the sender. */
interface Sender {
  readonly code: string;
  readonly nonce?: string;
  readonly answer?: string;
}

/** One node, with the sender at the judged block and at the newest one. */
function partnerWith(judged: Sender, newest = judged): Pick<ChainConnection, 'agree' | 'agreedHead'> {
  const request = async ({ method, params }: { method: string; params: unknown[] }) => {
    const { code, nonce = '0x0', answer } = params.at(-1) === numberToHex(JUDGED) ? judged : newest;
    return { eth_getCode: code, eth_getTransactionCount: nonce, eth_call: answer }[method];
  };
  const client = createPublicClient({ transport: custom({ request }) });
  return { agreedHead: async () => 100n, agree: (read) => read(client) };
}

const JUDGED = 95n;
const verify = (judged: Sender, signature: string, newest = judged) =>
  verifySenderSignature(partnerWith(judged, newest), {
    intent,
    signature,
    domain,
    judgedAtBlock: JUDGED,
    otherContracts: [LOCK],
  });
const sign = (under: IntentDomain = domain, signer = owner) => signer.sign({ hash: intentDigest(under, intent) });
/** The 64-byte form of EIP-2098. */
const compact = (signature: Hex) => serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)));
const wrap = (signature: Hex) => serializeErc6492Signature({ address: LOCK, data: '0x1234', signature });
const refusal = (code: string, message = '') =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });

describe('verifySenderSignature returns the signature that the account verifies', () => {
  it.each<[string, Sender, () => Promise<Hex>, () => Promise<Hex>]>([
    ['of a key', NO_CODE, sign, sign],
    ['of a key in the wrapper of ERC-6492', NO_CODE, async () => wrap(await sign()), sign],
    ['of the key of a delegating account', DELEGATED, sign, sign],
    ['of a key in the compact form of EIP-2098', NO_CODE, async () => compact(await sign()), sign],
    ['of the key of a delegating account, in the compact form', DELEGATED, async () => compact(await sign()), sign],
    ['of 64 bytes of a contract', CONTRACT, async () => SIXTY_FOUR, async () => SIXTY_FOUR],
    [
      'of the contract to which it delegates',
      { ...DELEGATED, answer: ACCEPTED },
      async () => TWO_OWNERS,
      async () => TWO_OWNERS,
    ],
    ['of a contract', CONTRACT, async () => TWO_OWNERS, async () => TWO_OWNERS],
    ['of a contract, without bytes', CONTRACT, async () => '0x', async () => '0x'],
    [
      'of a contract that was deployed after it was signed',
      CONTRACT,
      async () => wrap(TWO_OWNERS),
      async () => TWO_OWNERS,
    ],
  ])('%s', async (_, sender, sent, stored) => {
    expect(await verify(sender, await sent())).toBe(await stored());
  });
});

describe('verifySenderSignature refuses with', () => {
  const other = { ...domain, chainId: 327 };
  it.each<[string, string, Sender, () => Promise<string>]>([
    [
      'SIGNATURE_VERIFICATION_UNAVAILABLE',
      'a wrapped one for an account without code',
      NO_CODE,
      async () => wrap(await sign(domain, stranger)),
    ],
    [
      'SIGNATURE_VERIFICATION_UNAVAILABLE',
      'one by two owners for an account without code',
      NO_CODE,
      async () => TWO_OWNERS,
    ],
    [
      'SIGNATURE_INVALID',
      'one by two owners for an account that can never be deployed',
      NEVER_DEPLOYED,
      async () => TWO_OWNERS,
    ],
    [
      'SIGNATURE_MISMATCH',
      'a wrapped one for an account that can never be deployed',
      NEVER_DEPLOYED,
      async () => wrap(await sign(domain, stranger)),
    ],
    ['SIGNATURE_MISMATCH', 'one by another key', NO_CODE, () => sign(domain, stranger)],
    ['SIGNATURE_DOMAIN_REJECTED', 'one for another chain', NO_CODE, () => sign(other)],
    ['SIGNATURE_DOMAIN_REJECTED', 'a compact one for another chain', DELEGATED, async () => compact(await sign(other))],
    ['SIGNATURE_MISMATCH', 'a compact one by another key', NO_CODE, async () => compact(await sign(domain, stranger))],
    ['SIGNATURE_INVALID', 'one that is too short for any account without code', NO_CODE, async () => '0x1234'],
    ['SIGNATURE_INVALID', 'one that a contract refuses', REFUSING, async () => TWO_OWNERS],
    ['SIGNATURE_INVALID', 'one of 65 bytes that a contract refuses', REFUSING, sign],
    ['SIGNATURE_INVALID', 'one that no contract could receive: half a byte', CONTRACT, async () => '0x123'],
    ['SIGNATURE_INVALID', 'one by two owners that the delegated contract refuses', DELEGATED, async () => TWO_OWNERS],
    ['SIGNATURE_MISMATCH', 'one by another key for a delegating account', DELEGATED, () => sign(domain, stranger)],
    ['SIGNATURE_DOMAIN_REJECTED', 'one for another chain by a delegating account', DELEGATED, () => sign(other)],
    ['VALIDATION_ERROR', 'one too long for a release', CONTRACT, async () => `0x${'00'.repeat(1_025)}`],
  ])('%s %s', async (code, _, sender, signature) => {
    await expect(verify(sender, await signature())).rejects.toEqual(refusal(code));
  });

  it.each([
    ['do not answer', [{ node: 'a', failure: 'failed (slow)' }]],
    ['do not agree', ['1', '2'].map((answer) => ({ node: answer, answer }))],
  ])('SIGNATURE_VERIFICATION_UNAVAILABLE while the nodes %s, with the cause', async (problem, answers) => {
    const cause = new QuorumError('partner', 2, answers);
    const agree = () => Promise.reject(cause);
    const signed = { intent, signature: await sign(), domain, judgedAtBlock: JUDGED, otherContracts: [] };
    for (const partner of [
      { agreedHead: async () => 1n, agree },
      { ...partnerWith(REFUSING), agreedHead: agree },
    ])
      await expect(verifySenderSignature(partner, signed)).rejects.toMatchObject({
        code: 'SIGNATURE_VERIFICATION_UNAVAILABLE',
        message: expect.stringContaining(`because the nodes ${problem}; try again`),
        cause,
      });
  });

  it.each([
    ['was deployed', NO_CODE, CONTRACT, TWO_OWNERS],
    ['was deployed, and refuses', NO_CODE, REFUSING, TWO_OWNERS],
    ['began to delegate', NO_CODE, { ...DELEGATED, answer: ACCEPTED }, TWO_OWNERS],
    ['began to accept it', REFUSING, CONTRACT, TWO_OWNERS],
  ])('SIGNATURE_VERIFICATION_UNAVAILABLE when, after the judged block, the account %s', async (...of) => {
    const [, judged, newest, signature] = of;
    await expect(verify(judged, signature, newest)).rejects.toEqual(
      refusal('SIGNATURE_VERIFICATION_UNAVAILABLE', 'since block 95'),
    );
  });

  it('nothing for an account that accepted at the judged block', async () => {
    expect(await verify(CONTRACT, TWO_OWNERS, REFUSING)).toBe(TWO_OWNERS);
  });

  it('a reason useful to the integrator', async () => {
    await expect(verify(REFUSING, TWO_OWNERS)).rejects.toEqual(
      refusal('SIGNATURE_INVALID', 'its isValidSignature returns 0 bytes, not 32'),
    );
    await expect(verify(NO_CODE, TWO_OWNERS)).rejects.toEqual(
      refusal('SIGNATURE_VERIFICATION_UNAVAILABLE', 'deploy the smart account'),
    );
  });
});
