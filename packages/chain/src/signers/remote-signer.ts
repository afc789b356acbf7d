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

/** A signer behind HTTPS that answers `eth_signTransaction` and `eth_signTypedData`, as web3signer. Files in PEM. */
export interface RemoteSignerSettings {
  readonly kind: 'remote';
  /** The address for each chain id: a web3signer signs for one chain. */
  readonly urls: ReadonlyMap<number, string>;
  /** Certificate by which the relayer shows who it is. */
  readonly certificateFile: string;
  readonly certificateKeyFile: string;
  /** The authority that signed the certificate of the server. No other is trusted. */
  readonly caFile: string;
  readonly timeoutMs: number;
}

/** A signed transaction is far smaller; a larger answer is not read to its end. */
const LONGEST_ANSWER_BYTES = 1_048_576;

/**
 * Opens a remote signer. It is asked for its accounts, so that another key is found now. If it does not answer that,
 * `onWarning` receives a sentence: it may be back before it is needed, and every signature is checked anyway.
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
    if (ask === undefined) throw new UnusableSignerError(`No remote signer is configured for ${String(chainId)}`);
    return ask;
  };
  return checkedSigner(address, {
    signTransaction: async (transaction) => {
      const ask = findClient(transaction.chainId);
      return getRaw(await ask('eth_signTransaction', [toParameters(address, transaction)]));
    },
    signTypedData: async (data) => {
      // Data without a chain are for every chain, so any of them signs.
      const ask = findClient(data.domain?.chainId ?? [...clients.keys()][0]);
      return String(await ask('eth_signTypedData', [address, serializeData(data)])) as Hex;
    },
  });
}

/** Signers need the type of the domain, too. */
function serializeData({ domain = {}, types, primaryType, message }: TypedDataDefinition): string {
  const all = { EIP712Domain: getTypesForEIP712Domain({ domain }), ...types };
  const complete = { domain, types: all, primaryType, message } as TypedDataDefinition;
  return serializeTypedData(complete);
}

/** Asks the signer; `method` and `params` of JSON-RPC. */
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

/** As geth, web3signer and their successors take it. */
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

/** web3signer returns the bytes, geth an object with them. What they are is checked afterwards. */
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
  // Only the host: a path may be a secret.
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

/** The code says more than the message for connections and certificates, such as ECONNREFUSED and CERT_HAS_EXPIRED. */
function describeSocketError(error: Error, timeoutMs: number): string {
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `it took more than ${timeoutMs} ms`;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `${code}, ${error.message}`;
}
