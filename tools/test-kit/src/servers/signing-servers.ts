import { createCipheriv, createPublicKey, pbkdf2Sync, randomBytes, randomUUID, scryptSync } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  hexToBigInt,
  hexToBytes,
  keccak256,
  numberToHex,
  type Address,
  type Hex,
  type TypedDataDefinition,
} from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import { CLIENT_CERTIFICATE, SERVER_CERTIFICATE, TEST_AUTHORITY } from '../certificates.js';

// Fakes of the services that hold a wallet's key, with real signatures.

export interface SigningServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Faults of a service. `result` replaces an answer; it can wait forever, or throw to refuse. */
interface Faults {
  readonly result?: (signed: unknown, method: string) => unknown;
}

/** The parameter of eth_signTransaction. */
interface TransactionParameter {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly value: Hex;
  readonly nonce: Hex;
  readonly gas: Hex;
  readonly maxFeePerGas: Hex;
  readonly maxPriorityFeePerGas: Hex;
}

/**
 * Starts a remote signer like web3signer: eth_accounts, eth_signTypedData, and eth_signTransaction for one chain, over
 * HTTPS, for clients with a certificate of the test authority.
 */
export async function startRemoteSigner(
  privateKey: Hex,
  chainId: number,
  { result = (signed) => signed }: Faults = {},
): Promise<SigningServer> {
  const account = privateKeyToAccount(privateKey);
  const answer = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    if (method === 'eth_accounts') return result([account.address.toLowerCase()], method);
    if (method === 'eth_signTypedData') {
      const data = JSON.parse(String(params[1])) as TypedDataDefinition;
      if (!('EIP712Domain' in data.types)) throw new Error('the types lack EIP712Domain');
      return result(await account.signTypedData(data), method);
    }
    const [transaction] = params as readonly TransactionParameter[];
    if (transaction?.from.toLowerCase() !== account.address.toLowerCase()) throw new Error('unknown account');
    const { to, data, value, nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction;
    const signed = await account.signTransaction({
      type: 'eip1559',
      chainId,
      to,
      data,
      value: hexToBigInt(value),
      nonce: Number(nonce),
      gas: hexToBigInt(gas),
      maxFeePerGas: hexToBigInt(maxFeePerGas),
      maxPriorityFeePerGas: hexToBigInt(maxPriorityFeePerGas),
    });
    return result(signed, method);
  };
  const { certificate, key } = SERVER_CERTIFICATE;
  const tls = { cert: certificate, key, ca: TEST_AUTHORITY, requestCert: true, rejectUnauthorized: true };
  const server = createHttpsServer(tls, (request, response) => {
    void readJson<{ id: number; method: string; params: unknown[] }>(request)
      .then(async ({ id, method, params }) =>
        answer(method, params).then(
          (value) => ({ jsonrpc: '2.0', id, result: value }),
          (error: Error) => ({ jsonrpc: '2.0', id, error: { code: -32000, message: error.message } }),
        ),
      )
      .then((body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)));
  });
  return listening(server, 'https');
}

/** The client certificate that the remote signer accepts, and the authority of the signer's certificate. */
export const REMOTE_SIGNER_CLIENT = { ...CLIENT_CERTIFICATE, authority: TEST_AUTHORITY } as const;

/** The order of secp256k1. */
const CURVE_ORDER = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n;

/**
 * Starts a fake of AWS KMS with GetPublicKey and Sign for one key. As in KMS, signatures can have a high s: every other
 * one does. Clients find it by the variable AWS_ENDPOINT_URL_KMS.
 */
export async function startKms(
  privateKey: Hex,
  { result = (answer) => answer }: Faults = {},
): Promise<SigningServer & { readonly keyId: string }> {
  const keyId = `arn:aws:kms:eu-central-1:111122223333:key/${randomUUID()}`;
  let isHigh = false;
  const answers: Readonly<Record<string, (input: { Message: string }) => Promise<object>>> = {
    'TrentService.GetPublicKey': async () => ({
      KeyId: keyId,
      KeySpec: 'ECC_SECG_P256K1',
      KeyUsage: 'SIGN_VERIFY',
      SigningAlgorithms: ['ECDSA_SHA_256'],
      PublicKey: encodeSpki(privateKey).toString('base64'),
    }),
    'TrentService.Sign': async ({ Message }) => {
      const hash: Hex = `0x${Buffer.from(Message, 'base64').toString('hex')}`;
      const { r, s } = await sign({ hash, privateKey });
      isHigh = !isHigh;
      const value = isHigh ? CURVE_ORDER - hexToBigInt(s) : hexToBigInt(s);
      const signature = encodeDer(hexToBigInt(r), value).toString('base64');
      return { KeyId: keyId, Signature: signature, SigningAlgorithm: 'ECDSA_SHA_256' };
    },
  };
  const server = createHttpServer((request, response) => {
    const { authorization = '', 'x-amz-target': target } = request.headers;
    const refuse = (type: string) => response.writeHead(400).end(JSON.stringify({ __type: type, message: type }));
    void readJson<{ KeyId: string; Message: string }>(request).then(async (input) => {
      if (!/^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/eu-central-1\/kms\/aws4_request, /.test(authorization))
        return refuse('MissingAuthenticationTokenException');
      const answer = answers[String(target)];
      if (answer === undefined || input.KeyId !== keyId) return refuse('NotFoundException');
      const signed = await answer(input);
      try {
        const body = await result(signed, String(target));
        return response.setHeader('content-type', 'application/x-amz-json-1.1').end(JSON.stringify(body));
      } catch (error) {
        return refuse((error as Error).message);
      }
    });
  });
  return { ...(await listening(server, 'http')), keyId };
}

/** Encrypts a key like geth and cast (Web3 Secret Storage, version 3), with fewer rounds. */
export function encryptKeystore(privateKey: Hex, password: string, kdf: 'scrypt' | 'pbkdf2'): string {
  const [salt, iv] = [randomBytes(32), randomBytes(16)];
  const hexSalt = salt.toString('hex');
  const derived =
    kdf === 'scrypt'
      ? scryptSync(password, salt, 32, { N: 8_192, r: 8, p: 1 })
      : pbkdf2Sync(password, salt, 10_240, 32, 'sha256');
  const kdfparams =
    kdf === 'scrypt'
      ? { dklen: 32, n: 8_192, r: 8, p: 1, salt: hexSalt }
      : { dklen: 32, c: 10_240, prf: 'hmac-sha256', salt: hexSalt };
  const ciphertext = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv).update(hexToBytes(privateKey));
  const crypto = {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: iv.toString('hex') },
    ciphertext: ciphertext.toString('hex'),
    kdf,
    kdfparams,
    mac: keccak256(Buffer.concat([derived.subarray(16), ciphertext])).slice(2),
  };
  return JSON.stringify({ crypto, id: randomUUID(), version: 3 });
}

function encodeSpki(privateKey: Hex): Buffer {
  const point = Buffer.from(privateKeyToAccount(privateKey).publicKey.slice(4), 'hex');
  const [x, y] = [point.subarray(0, 32), point.subarray(32)].map((part) => part.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'secp256k1', x: x ?? '', y: y ?? '' };
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' });
}

function encodeDer(...values: readonly [bigint, bigint]): Buffer {
  const integers = values.map((value) => {
    const bytes = Buffer.from(hexToBytes(numberToHex(value)));
    const content = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
    return Buffer.concat([Buffer.from([0x02, content.length]), content]);
  });
  const content = Buffer.concat(integers);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}

async function readJson<T>(request: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as T;
}

async function listening(
  server: Server | ReturnType<typeof createHttpsServer>,
  protocol: 'http' | 'https',
): Promise<SigningServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `${protocol}://127.0.0.1:${address.port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
