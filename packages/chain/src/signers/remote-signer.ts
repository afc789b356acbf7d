import { Agent, request } from 'node:https';
import { createSecureContext } from 'node:tls';
import {
  getTypesForEIP712Domain,
  numberToHex,
  serializeTypedData,
  type Address,
  type Hex,
  type TransactionSerializableEIP1559,
  type TypedDataDefinition,
} from 'viem';
import { readPrivateFile, readPublicFile, type OnWarning } from './key-file.js';
import {
  OtherKeySignedError,
  SignerRefusedError,
  SignerUnavailableError,
  UnusableSignerError,
} from './signer-error.js';
import { checkedSigner, type Signer } from './signer.js';

/** An HTTPS signer with `eth_signTransaction` and `eth_signTypedData`, such as web3signer. Files in PEM. */
export interface RemoteSignerSettings {
  readonly kind: 'remote';
  /** URL by chain id, because one web3signer signs for one chain. */
  readonly urls: ReadonlyMap<number, string>;
  /** Client certificate of this service. */
  readonly certificateFile: string;
  readonly certificateKeyFile: string;
  /** The only trusted authority for the certificate of the server. */
  readonly caFile: string;
  readonly timeoutMs: number;
}

/** Maximum size of an answer. A signed transaction is far smaller. */
const LONGEST_ANSWER_BYTES = 1_048_576;

/**
 * Opens a remote signer. It reads the signer's accounts, so that a wrong key is found at startup. If the signer does
 * not answer that request, `onWarning` receives a sentence instead of an error: the signer may be available by the
 * first signature, and every signature is checked.
 *
 * @throws UnusableSignerError, OtherKeySignedError
 */
export async function openRemoteSigner(
  settings: RemoteSignerSettings,
  address: Address,
  onWarning: OnWarning,
): Promise<Signer> {
  const agent = makeAgent(settings);
  const clients = new Map([...settings.urls].map(([id, url]) => [id, rpcClient(url, agent, settings.timeoutMs)]));
  for (const ask of clients.values()) await assertHolds(ask, address, onWarning);
  const findClient = (chainId: unknown): Ask => {
    const ask = clients.get(Number(chainId));
    if (ask === undefined) throw new UnusableSignerError(`No remote signer is configured for chain ${String(chainId)}`);
    return ask;
  };
  return checkedSigner(address, {
    signTransaction: async (transaction) => {
      const ask = findClient(transaction.chainId);
      return getRaw(await ask('eth_signTransaction', [toParameters(address, transaction)]));
    },
    signTypedData: async (data) => {
      // Data without a chain id is valid on every chain, so any signer can sign it.
      const ask = findClient(data.domain?.chainId ?? [...clients.keys()][0]);
      return String(await ask('eth_signTypedData', [address, serializeData(data)])) as Hex;
    },
  });
}

/** Serializes data with the type of the domain, which signers need. */
function serializeData({ domain = {}, types, primaryType, message }: TypedDataDefinition): string {
  const all = { EIP712Domain: getTypesForEIP712Domain({ domain }), ...types };
  const complete = { domain, types: all, primaryType, message } as TypedDataDefinition;
  return serializeTypedData(complete);
}

/** Sends a JSON-RPC request to the signer. */
type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

async function assertHolds(ask: Ask, address: Address, onWarning: OnWarning): Promise<void> {
  try {
    const accounts = await ask('eth_accounts', []);
    const held = Array.isArray(accounts) ? accounts.map((account) => String(account).toLowerCase()) : [];
    if (held.includes(address.toLowerCase())) return;
  } catch (error) {
    if (!(error instanceof SignerUnavailableError || error instanceof SignerRefusedError)) throw error;
    return onWarning(`The remote signer does not list its accounts: ${error.message}`);
  }
  throw new OtherKeySignedError(address, null);
}

/** Converts to the parameters that geth and web3signer accept. */
function toParameters(from: Address, transaction: TransactionSerializableEIP1559) {
  const { chainId, to, data, value, nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  return {
    from,
    to,
    data: data ?? '0x',
    value: numberToHex(value ?? 0n),
    nonce: numberToHex(nonce ?? 0),
    gas: numberToHex(gas ?? 0n),
    maxFeePerGas: numberToHex(maxFeePerGas ?? 0n),
    maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas ?? 0n),
    chainId: numberToHex(chainId),
  };
}

/** web3signer returns the bytes, geth an object with them. The caller checks them. */
function getRaw(answer: unknown): Hex {
  const raw = typeof answer === 'object' && answer !== null && 'raw' in answer ? answer.raw : answer;
  return String(raw) as Hex;
}

function makeAgent({ certificateFile, certificateKeyFile, caFile }: RemoteSignerSettings): Agent {
  const cert = readPublicFile('client certificate', certificateFile);
  const key = readPrivateFile('key of the client certificate', certificateKeyFile);
  const ca = readPublicFile('certificate authority', caFile);
  try {
    createSecureContext({ cert, key, ca });
  } catch {
    throw new UnusableSignerError(
      `The client certificate ${certificateFile}, its key ${certificateKeyFile} and the authority ${caFile} must be ` +
        'PEM files, and certificate and key must belong together',
    );
  }
  return new Agent({ cert, key, ca, keepAlive: true, minVersion: 'TLSv1.2' });
}

function rpcClient(url: string, agent: Agent, timeoutMs: number): Ask {
  // Only the host, because a path may be a secret.
  const name = `the remote signer ${new URL(url).host}`;
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const { status, text } = await post(name, url, agent, body, timeoutMs);
    const answer = parse(text);
    if (answer?.error !== undefined) throw new SignerRefusedError(name, getErrorMessage(answer.error));
    if (status >= 500 || status === 429) throw new SignerUnavailableError(name, `HTTP ${status}`);
    if (status !== 200) throw new SignerRefusedError(name, `HTTP ${status}`);
    if (answer === null) throw new SignerUnavailableError(name, 'its answer is not JSON-RPC');
    return answer.result;
  };
}

function parse(text: string): { readonly result?: unknown; readonly error?: unknown } | null {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' ? answer : null;
  } catch {
    return null;
  }
}

function getErrorMessage(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return `${String(message)} (${String(code)})`;
}

async function post(
  name: string,
  url: string,
  agent: Agent,
  body: string,
  timeoutMs: number,
): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new SignerUnavailableError(name, reason));
    const sent = request(
      url,
      { method: 'POST', agent, headers, signal: AbortSignal.timeout(timeoutMs) },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > LONGEST_ANSWER_BYTES) response.destroy(new Error('its answer is too long'));
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
        response.on('error', (error) => fail(describeSocketError(error, timeoutMs)));
      },
    );
    sent.on('error', (error) => fail(describeSocketError(error, timeoutMs)));
    sent.end(body);
  });
}

/** Adds the code, such as ECONNREFUSED or CERT_HAS_EXPIRED, which says more than the message. */
function describeSocketError(error: Error, timeoutMs: number): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `it took more than ${timeoutMs} ms`;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `${code}, ${error.message}`;
}
