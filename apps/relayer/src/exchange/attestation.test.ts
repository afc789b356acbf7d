import { describe, expect, it } from '@jest/globals';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { aHash, anAddress } from '@causeway/test-kit';
import {
  compactSignatureToSignature,
  concatHex,
  encodeFunctionData,
  erc20Abi,
  hashTypedData,
  keccak256,
  numberToHex,
  serializeSignature,
  slice,
  toHex,
  type Address,
  type Hex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { attestationDigest, isSignedBy, NO_ATTESTATION, toAttestation, type AttestedTerms } from './attestation.js';
import { hasAttestationEnded, wasAttestationVoid } from './validity.js';

const consent = { setNumber: 3n, validUntil: 1_700_000_540n };
const contract = { chainId: 327, address: anAddress() };
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const account = privateKeyToAccount(generatePrivateKey());
const attester = account.address.toLowerCase() as Address;

describe('attestationDigest', () => {
  const payments = [1n, 2n].map((depositNonce) => {
    const [token, recipient] = [anAddress(), anAddress()];
    return { depositNonce, token, recipient, amount: 10n * depositNonce };
  });
  const attestation = { ...NO_ATTESTATION, ...consent };

  it('of a batch covers the payments as encoded in the call data', () => {
    const releases = payments.map(({ depositNonce: withdrawNonce, ...rest }) => ({ ...rest, withdrawNonce, fee: 7n }));
    const calls = [
      [
        { call: 'MINT_MANY', payments },
        4,
        encodeFunctionData({ abi: bridgeMintAbi, functionName: 'mintMany', args: [payments, attestation] }),
      ],
      [
        { call: 'RELEASE_MANY', payments: releases },
        5,
        encodeFunctionData({ abi: bridgeLockAbi, functionName: 'releaseMany', args: [releases, attestation] }),
      ],
    ] as const satisfies readonly (readonly [AttestedTerms, number, string])[];
    for (const [terms, words, data] of calls) {
      // After the selector, the two offsets and the length.
      const start = 4 + 3 * 32;
      const hashed = keccak256(slice(data, start, start + payments.length * words * 32));
      const domain = { name: 'Causeway', version: '1', chainId: 327, verifyingContract: contract.address };
      const message = { payments: hashed, attesterSet: consent.setNumber, validUntil: consent.validUntil };
      const types = {
        Payments: [
          { name: 'payments', type: 'bytes32' },
          { name: 'attesterSet', type: 'uint256' },
          { name: 'validUntil', type: 'uint256' },
        ],
      } as const;
      const digest = hashTypedData({ domain, types, primaryType: 'Payments', message });
      expect(attestationDigest(terms, consent, contract)).toBe(digest);
    }
  });

  it('differs for every term, set, time, chain and contract', () => {
    const [intentId, refundId, recipient] = [aHash(), aHash(), anAddress()];
    const intent = { call: 'RELEASE_INTENT', intentId, transferId: aHash(), fee: 1n, signature: '0x12' } as const;
    const refund = { call: 'REFUND', refundId, wallet: recipient, token: recipient, recipient, amount: 1n } as const;
    const digests = [
      intent,
      { ...intent, intentId: refundId },
      { ...intent, transferId: refundId },
      { ...intent, fee: 2n },
      { ...intent, signature: '0x13' as const },
      refund,
      { ...refund, refundId: intentId },
      { ...refund, amount: 2n },
      ...(['wallet', 'token', 'recipient'] as const).map((field) => ({ ...refund, [field]: anAddress() })),
      { call: 'MINT_MANY', payments } as const,
      { call: 'MINT_MANY', payments: payments.toReversed() } as const,
    ].map((terms) => attestationDigest(terms, consent, contract));
    digests.push(
      attestationDigest(intent, { ...consent, setNumber: 4n }, contract),
      attestationDigest(intent, { ...consent, validUntil: 1n }, contract),
      attestationDigest(intent, consent, { ...contract, chainId: 1 }),
      attestationDigest(intent, consent, { ...contract, address: anAddress() }),
    );
    expect(new Set(digests).size).toBe(digests.length);
  });
});

describe('a signature of an attester', () => {
  it('is valid only in the form that the contracts accept', async () => {
    const digest = aHash();
    const signature = await account.sign({ hash: digest });
    const [r, s, v] = [slice(signature, 0, 32), BigInt(slice(signature, 32, 64)), Number(slice(signature, 64))];
    const twin = concatHex([r, numberToHex(ORDER - s, { size: 32 }), toHex(v === 27 ? 28 : 27)]);
    const check = (text: `0x${string}`, hash = digest, one = attester) => isSignedBy(one, hash, text);
    expect(await check(signature)).toBe(true);
    expect(await check(twin)).toBe(false);
    expect(await check(concatHex([slice(signature, 0, 64), toHex(v - 27, { size: 1 })]))).toBe(false);
    expect(await check(signature, aHash())).toBe(false);
    expect(await check(signature, digest, anAddress())).toBe(false);
    expect(await check(`0x${'00'.repeat(64)}1b`)).toBe(false);
  });

  it('is compact, and in the order of the set', async () => {
    const members = [anAddress(), attester, anAddress()] as const;
    const other = privateKeyToAccount(generatePrivateKey());
    const digest = aHash();
    const given = [
      { attester: members[2], signature: await other.sign({ hash: digest }) },
      { attester, signature: await account.sign({ hash: digest }) },
    ];
    const attestation = toAttestation(consent, members, given);
    expect(attestation).toMatchObject({ ...consent, attesters: members });
    const signatures = attestation.signatures.map((one) => serializeSignature(compactSignatureToSignature(one)));
    expect(signatures).toEqual([given[1]!.signature, given[0]!.signature]);
  });
});

describe('hasAttestationEnded', () => {
  const endMs = 1_000 * Number(consent.validUntil);

  it.each([
    [
      'mintMany',
      encodeFunctionData({
        abi: bridgeMintAbi,
        functionName: 'mintMany',
        args: [[], { ...NO_ATTESTATION, ...consent }],
      }),
    ],
    [
      'refundNative',
      encodeFunctionData({
        abi: bridgeMintAbi,
        functionName: 'refundNative',
        args: [aHash(), anAddress(), { ...NO_ATTESTATION, ...consent }],
      }),
    ],
  ])('reads the expiry of the attestation of %s', (_, data) => {
    expect([endMs, endMs + 1].map((now) => hasAttestationEnded(data, now))).toEqual([false, true]);
  });

  it.each([
    [
      'a batch without an attestation',
      encodeFunctionData({ abi: bridgeMintAbi, functionName: 'mintMany', args: [[], NO_ATTESTATION] }),
    ],
    ['a transfer of a token', encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [anAddress(), 1n] })],
    ['a payment of coin', '0x' as const],
  ])('never applies to %s', (_, data) => {
    expect(hasAttestationEnded(data, endMs * 2)).toBe(false);
  });
});

describe('wasAttestationVoid', () => {
  const args = [[], { ...NO_ATTESTATION, ...consent }] as const;
  const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'mintMany', args });
  const { setNumber, validUntil } = consent;
  const ask = async (call: Hex, timestampSeconds: bigint, setNow: bigint) => {
    const connection = {
      agreedBlock: async () => ({ timestampSeconds }),
      agree: async () => [setNow, [], 0n],
    };
    const chain = { bridge: anAddress(), connection, finality: { recentHead: async () => 9n } };
    return wasAttestationVoid(call, 7n, chain as unknown as Parameters<typeof wasAttestationVoid>[2]);
  };

  it('applies to a block after its expiry, and to another set', async () => {
    expect(await ask(data, validUntil, setNumber)).toBe(false);
    expect(await ask(data, validUntil + 1n, setNumber)).toBe(true);
    expect(await ask(data, validUntil, setNumber + 1n)).toBe(true);
  });

  it('never applies to a call without an attestation', async () => {
    expect(await ask('0x', validUntil + 1n, setNumber + 1n)).toBe(false);
  });
});
