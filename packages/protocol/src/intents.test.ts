import { describe, expect, it } from '@jest/globals';
import { hashTypedData, keccak256, encodeAbiParameters, stringToHex, concatHex, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  intentDigest,
  intentDomain,
  intentNonceHash,
  releasedIntentDigest,
  type IntentDomain,
  verifyIntentSignature,
  type XcnWithdrawIntent,
  xcnWithdrawIntentTypes,
} from './intents.js';

const MINT = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const LOCK = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0';
const domain = intentDomain({ chainId: 8_901, bridgeMint: MINT });
const account = privateKeyToAccount('0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a');
const intent: XcnWithdrawIntent = {
  sender: account.address,
  recipient: '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc',
  amount: 5_000n * 10n ** 18n,
  deadline: 2_000_000_000n,
  nonce: 'first',
};
const sign = (under: IntentDomain, signer = account) =>
  signer.signTypedData({
    domain: under,
    types: xcnWithdrawIntentTypes,
    primaryType: 'XcnWithdrawIntent',
    message: { ...intent },
  });
const verify = (signature: Hex) => verifyIntentSignature({ intent, signature, domain, otherContracts: [LOCK] });
const code = (expected: string) => expect.objectContaining({ code: expected, field: 'signature' });

describe('intentDigest', () => {
  it('is EIP-712, computed by hand', () => {
    const typeHash = keccak256(
      stringToHex('XcnWithdrawIntent(address sender,address recipient,uint256 amount,uint256 deadline,string nonce)'),
    );
    const domainTypeHash = keccak256(
      stringToHex('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
    );
    const [b32, u256, addr] = [{ type: 'bytes32' }, { type: 'uint256' }, { type: 'address' }] as const;
    const separator = keccak256(
      encodeAbiParameters(
        [b32, b32, b32, u256, addr],
        [domainTypeHash, keccak256(stringToHex('Causeway')), keccak256(stringToHex('1')), 8_901n, MINT],
      ),
    );
    const struct = keccak256(
      encodeAbiParameters(
        [b32, addr, addr, u256, u256, b32],
        [typeHash, intent.sender, intent.recipient, intent.amount, intent.deadline, keccak256(stringToHex('first'))],
      ),
    );
    expect(intentDigest(domain, intent)).toBe(keccak256(concatHex(['0x1901', separator, struct])));
  });

  it('equals the digest of ethers', () => {
    expect(intentDigest(domain, intent)).toBe('0xde39e57074863d9123ec8068b0ea719c80f7dcf7883f0af295df2d41d029511f');
  });

  it.each<[string, Partial<XcnWithdrawIntent>]>([
    ['sender', { sender: LOCK }],
    ['recipient', { recipient: LOCK }],
    ['amount', { amount: intent.amount + 1n }],
    ['deadline', { deadline: intent.deadline + 1n }],
    ['nonce', { nonce: 'First' }],
  ])('depends on %s', (_, change) => {
    expect(intentDigest(domain, { ...intent, ...change })).not.toBe(intentDigest(domain, intent));
  });

  it('equals the digest that wallets sign', () => {
    const typed = {
      domain,
      types: xcnWithdrawIntentTypes,
      primaryType: 'XcnWithdrawIntent',
      message: { ...intent },
    } as const;
    expect(intentDigest(domain, intent)).toBe(hashTypedData(typed));
  });
});

describe('releasedIntentDigest', () => {
  it.each(['first', '0x12', '0x', ' ', '✓'])('is the digest that the sender signed, with the nonce "%s"', (nonce) => {
    const { nonce: _, ...terms } = intent;
    const released = { ...terms, nonceHash: intentNonceHash(nonce) };
    expect(releasedIntentDigest(domain, released)).toBe(intentDigest(domain, { ...intent, nonce }));
  });
});

describe('verifyIntentSignature', () => {
  it('accepts the sender', async () => {
    await expect(verify(await sign(domain))).resolves.toBeUndefined();
  });

  it('accepts the signature that ethers makes with the same key, also in upper case', async () => {
    const signature =
      '0xa2c10678c3fa419624f9fde2e77f0f008a4aa2635f699e66e502546989ed9aeb221a19e8f1e5933016c634d7f0ac548ae8eb50da111ef8ed2bfcf3289222f8c41b';
    await expect(verify(signature)).resolves.toBeUndefined();
    await expect(verify(`0x${signature.slice(2).toUpperCase()}`)).resolves.toBeUndefined();
  });

  it('accepts a recovery byte of 0 or 1, as some hardware wallets write it', async () => {
    const good = await sign(domain);
    await expect(verify(`${good.slice(0, 130)}${good.endsWith('1b') ? '00' : '01'}` as Hex)).resolves.toBeUndefined();
  });

  it('accepts the sender in any case', async () => {
    const signature = await sign(domain);
    const sender = account.address.toLowerCase() as Hex;
    await expect(verifyIntentSignature({ intent: { ...intent, sender }, signature, domain })).resolves.toBeUndefined();
  });

  it.each<[string, Partial<XcnWithdrawIntent>]>([
    ['recipient', { recipient: LOCK }],
    ['amount', { amount: intent.amount + 10n ** 10n }],
    ['deadline', { deadline: intent.deadline + 1n }],
    ['nonce', { nonce: 'second' }],
  ])('refuses a message whose %s was changed after signing', async (_, change) => {
    const signature = await sign(domain);
    const changed = { ...intent, ...change };
    await expect(verifyIntentSignature({ intent: changed, signature, domain })).rejects.toEqual(
      code('SIGNATURE_MISMATCH'),
    );
  });

  it('recognizes a signature of another account', async () => {
    await expect(verify(await sign(domain, privateKeyToAccount(generatePrivateKey())))).rejects.toEqual(
      code('SIGNATURE_MISMATCH'),
    );
  });

  it.each<[string, IntentDomain]>([
    ['the mainnet partner chain', { ...domain, chainId: 327 }],
    ['Ethereum', { ...domain, chainId: 1 }],
    ['Sepolia', { ...domain, chainId: 11_155_111 }],
    ['a local chain', { ...domain, chainId: 31_337 }],
    ['the other contract', { ...domain, verifyingContract: LOCK }],
    ['the other contract on Ethereum', { ...domain, chainId: 31_337, verifyingContract: LOCK }],
    ['another version', { ...domain, version: '2' }],
  ])('recognizes a signature for %s', async (_, other) => {
    await expect(verify(await sign(other))).rejects.toEqual(code('SIGNATURE_DOMAIN_REJECTED'));
  });

  it('treats an unknown contract, or an unknown chain, as a mismatch', async () => {
    const stranger = `0x${'77'.repeat(20)}` as const;
    await expect(verify(await sign({ ...domain, verifyingContract: stranger }))).rejects.toEqual(
      code('SIGNATURE_MISMATCH'),
    );
    await expect(verify(await sign({ ...domain, chainId: 424_242 }))).rejects.toEqual(code('SIGNATURE_MISMATCH'));
  });

  it('draws the line of a canonical s at half the order', async () => {
    const half = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
    const r = (await sign(domain)).slice(0, 66);
    const withS = (s: bigint) => `${r}${s.toString(16).padStart(64, '0')}1b` as Hex;
    await expect(verify(withS(half))).rejects.toEqual(code('SIGNATURE_MISMATCH'));
    await expect(verify(withS(half + 1n))).rejects.toEqual(code('SIGNATURE_INVALID'));
  });

  it('refuses the mirrored form of a good signature', async () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const good = await sign(domain);
    const s = order - BigInt(`0x${good.slice(66, 130)}`);
    const v = good.endsWith('1b') ? '1c' : '1b';
    await expect(verify(`${good.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}` as Hex)).rejects.toEqual(
      code('SIGNATURE_INVALID'),
    );
  });

  it.each<[string, Hex]>([
    ['nothing', '0x'],
    ['no hex', '0xzz'],
    ['64 bytes', `0x${'11'.repeat(64)}`],
    ['66 bytes', `0x${'11'.repeat(66)}`],
    ['a recovery byte of 29', `0x${'11'.repeat(64)}1d`],
    ['zeros', `0x${'00'.repeat(64)}1b`],
    ['an r that is on no curve', `0x${'ff'.repeat(32)}${'11'.repeat(32)}1b`],
  ])('refuses %s', async (_, signature) => {
    await expect(verify(signature)).rejects.toEqual(code('SIGNATURE_INVALID'));
  });
});
