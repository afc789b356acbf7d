import { createDecipheriv, pbkdf2, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { bytesToHex, concatBytes, hexToBytes, keccak256, type Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { KeyError } from '../errors.js';

/** Bytes; scrypt takes 128 * n * r. geth's heaviest keystores take 256 MiB. */
const MOST_MEMORY = 2 ** 30;
const MOST_ROUNDS = 10_000_000;
const MARGIN = 2 ** 20;

interface Keystore {
  readonly version: number;
  readonly address?: string;
  readonly crypto: {
    readonly cipher: string;
    readonly ciphertext: string;
    readonly cipherparams: { readonly iv: string };
    readonly kdf: string;
    readonly kdfparams: Readonly<Record<string, unknown>> & { readonly salt: string };
    readonly mac: string;
  };
}

/**
 * Decrypts a key in the format Web3 Secret Storage, version 3, which geth, Clef and Foundry's cast write. The key
 * derivation is slow on purpose: about a second.
 *
 * @see https://ethereum.org/developers/docs/data-structures-and-encoding/web3-secret-storage
 * @throws KeyError when the password is wrong, or the text is damaged or has another format.
 */
export async function decryptKeystore(text: string, password: string): Promise<Hex> {
  const { crypto, address } = parseKeystore(text);
  const derived = await deriveKey(crypto, password);
  const ciphertext = readHex(crypto.ciphertext);
  const mac = keccak256(concatBytes([derived.subarray(16, 32), ciphertext]));
  if (mac !== toHex(crypto.mac)) throw new KeyError('password', 'does not open the keystore', 'Check the password.');
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), readHex(crypto.cipherparams.iv));
  const key = bytesToHex(new Uint8Array(Buffer.concat([decipher.update(ciphertext), decipher.final()])));
  if (key.length !== 66) throw refuse('does not hold a key of 32 bytes');
  if (address !== undefined && privateKeyToAddress(key).toLowerCase() !== toHex(address))
    throw refuse('holds the key of another address');
  return key;
}

function parseKeystore(text: string): Keystore {
  let content: unknown;
  try {
    // Some programs write the field names in capitals.
    content = JSON.parse(text.replaceAll(/"(Crypto|Version|Address)"/g, (name) => name.toLowerCase()));
  } catch {
    throw refuse('is not JSON');
  }
  const { version, crypto } = (content ?? {}) as Partial<Keystore>;
  if (version !== 3 || typeof crypto !== 'object') throw refuse('is not of version 3 of Web3 Secret Storage');
  if (crypto.cipher !== 'aes-128-ctr')
    throw refuse(`has the unknown cipher ${JSON.stringify(crypto.cipher)?.slice(0, 40)}`);
  return content as Keystore;
}

async function deriveKey({ kdf, kdfparams }: Keystore['crypto'], password: string): Promise<Uint8Array> {
  const readNumber = (name: string): number => {
    const value = kdfparams[name];
    if (!Number.isSafeInteger(value) || (value as number) <= 0) throw refuse(`has no positive whole number ${name}`);
    return value as number;
  };
  const secret = password.normalize('NFKC');
  const salt = readHex(kdfparams.salt);
  const length = readNumber('dklen');
  if (length < 32 || length > 64) throw refuse('must derive a key of 32 to 64 bytes');
  if (kdf === 'scrypt') {
    const [N, r, p] = [readNumber('n'), readNumber('r'), readNumber('p')];
    const maxmem = 128 * N * r + 128 * r * p + MARGIN;
    if (maxmem > MOST_MEMORY) throw refuse('asks for more than 1 GiB of memory');
    const derive = promisify<string, Uint8Array, number, object, Buffer>(scrypt);
    return derive(secret, salt, length, { N, r, p, maxmem }).catch(() => {
      throw refuse('has invalid scrypt parameters');
    });
  }
  if (kdf !== 'pbkdf2' || kdfparams['prf'] !== 'hmac-sha256') throw refuse('has an unknown key derivation');
  const rounds = readNumber('c');
  if (rounds > MOST_ROUNDS) throw refuse('asks for too many rounds');
  return promisify(pbkdf2)(secret, salt, rounds, length, 'sha256');
}

function readHex(text: unknown): Uint8Array {
  const hex = toHex(text);
  if (!/^0x([\da-f]{2})+$/.test(hex)) throw refuse('is damaged');
  return hexToBytes(hex);
}

function toHex(text: unknown): Hex {
  return `0x${String(text).toLowerCase().replace(/^0x/, '')}`;
}

function refuse(problem: string): KeyError {
  return new KeyError('keystore', problem, 'Give a keystore written by geth, Clef or cast.');
}
