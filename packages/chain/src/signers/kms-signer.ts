import { createPublicKey } from 'node:crypto';
import type { KMSClient } from '@aws-sdk/client-kms';
import { bytesToHex, hashTypedData, numberToHex, serializeTransaction, type Address, type Hex } from 'viem';
import { publicKeyToAddress } from 'viem/accounts';
import type { OnWarning } from './key-file.js';
import {
  OtherKeySignedError,
  SignerRefusedError,
  SignerUnavailableError,
  UnusableSignerError,
  type SignerError,
} from './signer-error.js';
import { checkedSigner, CURVE_ORDER, recoverSigner, signingHash, type Signature, type Signer } from './signer.js';

/** An asymmetric signing key of AWS KMS with the key spec ECC_SECG_P256K1. It never leaves KMS. */
export interface KmsSettings {
  readonly kind: 'kms';
  /** Id, alias or ARN. The region comes from an ARN, else from AWS_REGION. Credentials are found as by AWS tools. */
  readonly keyId: string;
  readonly timeoutMs: number;
}

/**
 * Opens a signer with a key of AWS KMS. It reads the public key from KMS, so that a wrong key is found at startup. If
 * KMS is unreachable, `onWarning` receives a sentence instead of an error: KMS may be available by the first signature,
 * and every signature is checked.
 *
 * @throws UnusableSignerError, SignerRefusedError, OtherKeySignedError
 */
export async function openKms(settings: KmsSettings, address: Address, onWarning: OnWarning): Promise<Signer> {
  // A lazy import: the SDK is large, and the other signers do not need it.
  const { GetPublicKeyCommand, KMSClient, SignCommand } = await import('@aws-sdk/client-kms');
  const { keyId, timeoutMs } = settings;
  const region = findRegion(keyId);
  const client = new KMSClient({
    ...(region === null ? {} : { region }),
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
  });
  await assertRegion(client);
  try {
    const { PublicKey } = await client.send(new GetPublicKeyCommand({ KeyId: keyId })).catch(rethrow);
    const found = computeAddress(PublicKey ?? new Uint8Array());
    if (found.toLowerCase() !== address.toLowerCase()) throw new OtherKeySignedError(address, found);
  } catch (error) {
    if (!(error instanceof SignerUnavailableError)) throw error;
    onWarning(error.message);
  }
  const signHash = async (hash: Hex): Promise<Signature> => {
    const input = { KeyId: keyId, Message: Buffer.from(hash.slice(2), 'hex'), MessageType: 'DIGEST' } as const;
    const command = new SignCommand({ ...input, SigningAlgorithm: 'ECDSA_SHA_256' });
    const { Signature: der } = await client.send(command).catch(rethrow);
    return withRecovery(hash, parseDerSignature(der ?? new Uint8Array()), address);
  };
  return checkedSigner(address, {
    signTransaction: async (transaction) =>
      serializeTransaction({ ...transaction, type: 'eip1559' }, await signHash(signingHash(transaction))),
    signTypedData: async (data) => signHash(hashTypedData(data)),
  });
}

/**
 * Parses an ECDSA signature in DER (RFC 3279, section 2.2.3): a sequence of the integers r and s.
 *
 * @throws UnusableSignerError for anything else.
 */
export function parseDerSignature(der: Uint8Array): { readonly r: bigint; readonly s: bigint } {
  const bytes = [...der];
  const integer = (at: number): { value: bigint; end: number } => {
    const length = bytes[at + 1] ?? 0;
    const content = der.subarray(at + 2, at + 2 + length);
    const isInteger = bytes[at] === 0x02 && length > 0 && content.length === length && (content[0] ?? 0x80) < 0x80;
    const value = isInteger ? BigInt(bytesToHex(content)) : 0n;
    if (value === 0n || value >= CURVE_ORDER) throw malformed();
    return { value, end: at + 2 + length };
  };
  if (bytes[0] !== 0x30 || bytes[1] !== bytes.length - 2) throw malformed();
  const r = integer(2);
  const s = integer(r.end);
  if (s.end !== bytes.length) throw malformed();
  return { r: r.value, s: s.value };
}

const malformed = () =>
  new UnusableSignerError('AWS KMS returned no ECDSA signature in DER: check that the key spec is ECC_SECG_P256K1');

/**
 * Completes a signature of KMS: chooses the lower of the two values of s (EIP-2), and the parity that recovers to the
 * wallet.
 *
 * @throws OtherKeySignedError if neither parity recovers to the wallet.
 */
function withRecovery(hash: Hex, { r, s }: { r: bigint; s: bigint }, address: Address): Signature {
  const low = s > CURVE_ORDER / 2n ? CURVE_ORDER - s : s;
  const both = ([0, 1] as const).map((yParity) => ({
    r: numberToHex(r, { size: 32 }),
    s: numberToHex(low, { size: 32 }),
    yParity,
  }));
  const ours = both.find((signature) => recoverSigner(hash, signature) === address.toLowerCase());
  if (ours === undefined) throw new OtherKeySignedError(address, both[0] ? recoverSigner(hash, both[0]) : null);
  return ours;
}

/** Computes the address of a public key in DER (SubjectPublicKeyInfo). */
function computeAddress(publicKey: Uint8Array): Address {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
    if (key.asymmetricKeyDetails?.namedCurve !== 'secp256k1') throw new Error('another curve');
    const { x = '', y = '' } = key.export({ format: 'jwk' });
    const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    return publicKeyToAddress(`0x${point.toString('hex')}`);
  } catch {
    throw new UnusableSignerError(
      'The key of AWS KMS is not on the curve secp256k1: create one with the key spec ECC_SECG_P256K1',
    );
  }
}

function findRegion(keyId: string): string | null {
  return /^arn:[^:]+:kms:([^:]+):/.exec(keyId)?.[1] ?? null;
}

async function assertRegion(client: KMSClient): Promise<void> {
  try {
    await client.config.region();
  } catch {
    throw new UnusableSignerError('No region of AWS KMS is known: set AWS_REGION, or name the key by its ARN');
  }
}

/** Rethrows the error after the SDK's retries, with its name only: a message may name the account and the role. */
function rethrow(error: unknown): never {
  throw classify(error);
}

function classify(error: unknown): SignerError {
  const { name = 'Error', $fault } = error as { readonly name?: string; readonly $fault?: string };
  if (name === 'CredentialsProviderError')
    return new UnusableSignerError('AWS KMS: no credentials were found in the places that AWS tools search');
  const isJudged = $fault === 'client' && !/Throttl|LimitExceeded|TooManyRequests/.test(name);
  return isJudged ? new SignerRefusedError('AWS KMS', name) : new SignerUnavailableError('AWS KMS', name);
}
