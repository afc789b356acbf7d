import { describe, expect, it } from '@jest/globals';
import { hashTypedData, keccak256, encodeAbiParameters, stringToHex, concatHex, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { verifyIntentSignature } from './verify-intent-signature.js';
import {
  intentDigest,
  intentDomain,
  xcnWithdrawIntentTypes,
  type IntentDomain,
  type XcnWithdrawIntent,
} from './xcn-withdraw-intent.js';

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

  it('is what wallets sign', () => {
    const typed = {
      domain,
      types: xcnWithdrawIntentTypes,
      primaryType: 'XcnWithdrawIntent',
      message: { ...intent },
    } as const;
    expect(intentDigest(domain, intent)).toBe(hashTypedData(typed));
  });
});

describe('verifyIntentSignature', () => {
  it('accepts the sender', async () => {
    await expect(verify(await sign(domain))).resolves.toBeUndefined();
  });

  it('tells a signature of somebody else apart', async () => {
    await expect(verify(await sign(domain, privateKeyToAccount(generatePrivateKey())))).rejects.toEqual(
      code('SIGNATURE_MISMATCH'),
    );
  });

  it.each<[string, IntentDomain]>([
    ['the mainnet partner chain', { ...domain, chainId: 327 }],
    ['Ethereum', { ...domain, chainId: 1 }],
    ['the other contract', { ...domain, verifyingContract: LOCK }],
    ['the other contract on Ethereum', { ...domain, chainId: 31_337, verifyingContract: LOCK }],
    ['another version', { ...domain, version: '2' }],
  ])('names a signature for %s', async (_, other) => {
    await expect(verify(await sign(other))).rejects.toEqual(code('SIGNATURE_DOMAIN_REJECTED'));
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
