import { readFile } from 'node:fs/promises';
import { createPublicClient, http } from 'viem';
import { readSettings } from '../address-book.js';
import { readQuantity } from '../blocks/json.js';
import type { Side } from '../nodes/finality.js';
import type { Node } from '../nodes/node.js';
import type { Dissent } from '../nodes/quorum-reader.js';
import { MemoryRecord } from '../record.js';
import type { VerifierSettings } from '../settings.js';
import { createVerifier, type Verifier } from '../verifier.js';
import { UsageError } from './exit-codes.js';
import type { Progress } from './progress.js';

/** The options of the command. */
export interface Flags {
  readonly addressBook?: string;
  readonly ethereumRpc?: readonly string[];
  readonly partnerRpc?: readonly string[];
  readonly confirmations?: string;
  readonly trustNodes?: boolean;
  readonly state?: string;
  readonly fresh?: boolean;
  readonly proof?: string;
  readonly reserves?: string | true;
  readonly api?: string;
  readonly json?: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The dissents of a node: how often, and the first case. */
export interface NodeRecord {
  readonly side: Side;
  readonly node: string;
  readonly dissent: Partial<Record<Dissent, { readonly times: number; readonly first: string }>>;
}

/** The surroundings of a run. */
export interface Run {
  readonly flags: Flags;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** A verifier of the nodes that the options name. */
export interface Setup {
  readonly verifier: Verifier;
  /** All nodes in the order of the options. */
  readonly nodes: readonly NodeRecord[];
}

export const SIDES = ['ethereum', 'partner'] as const;
/** How people read the name of a chain. */
export const CHAIN_NAMES = { ethereum: 'Ethereum', partner: 'the partner chain' } as const;
/** Milliseconds until a slow node counts as unavailable. */
const TIMEOUT_MS = 30_000;
/** Bytes of an answer. A node with a longer one counts as unavailable. */
const MAX_ANSWER = 64_000_000;

/** Reads the address book and creates the settings of its bridge. */
export async function readBook(flags: Flags): Promise<VerifierSettings> {
  if (flags.addressBook === undefined) throw new UsageError('address-book', 'is missing: give --address-book <file>');
  const json = await readJson('address-book', flags.addressBook);
  try {
    return readSettings(json, { holdSeconds: 0, operators: { addresses: [], needed: 0 } });
  } catch (error) {
    throw new UsageError('address-book', `is not an address book: ${error instanceof Error ? error.message : ''}`);
  }
}

/** Reads a JSON file that an option names. */
export async function readJson(option: string, file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown;
  } catch {
    throw new UsageError(option, `cannot be read: ${file} is missing, or is not JSON`);
  }
}

/**
 * Creates the verifier, of which more than half of the nodes of each chain must agree.
 *
 * @throws UsageError also for a node of another chain.
 */
export async function connect(flags: Flags, env: Environment, settings: VerifierSettings): Promise<Setup> {
  const [ethereum, partner] = readConfirmations(flags.confirmations ?? (settings.isLocal ? '1,1' : '12,6'));
  const confirmations = { ethereum, partner };
  const records: NodeRecord[] = [];
  const toChain = (side: Side) => {
    const nodes = listUrls(flags, env, side).map(toNode);
    const own = nodes.map(({ name }): NodeRecord => ({ side, node: name, dissent: {} }));
    records.push(...own);
    return {
      nodes,
      quorum: Math.floor(nodes.length / 2) + 1,
      confirmations: confirmations[side],
      timeoutMs: TIMEOUT_MS,
      onDissent: (name: string, kind: Dissent, question: string) => {
        const dissent = own.find(({ node }) => node === name)?.dissent;
        if (dissent === undefined) return;
        const { times = 0, first = question } = dissent[kind] ?? {};
        dissent[kind] = { times: times + 1, first };
      },
    };
  };
  const chains = { ethereum: toChain('ethereum'), partner: toChain('partner') };
  for (const side of SIDES) await Promise.all(chains[side].nodes.map(async (node) => checkChain(node, side, settings)));
  return { verifier: createVerifier({ settings, ...chains, record: new MemoryRecord() }), nodes: records };
}

/** A node that gives no answer, or nonsense, is named later, like any other that is away. */
async function checkChain({ name, client }: Node, side: Side, settings: VerifierSettings): Promise<void> {
  const request = client.request as (call: { readonly method: string }) => Promise<unknown>;
  const answer = await request({ method: 'eth_chainId' }).catch(() => null);
  if (answer === null) return;
  const { chainId } = settings[side];
  let found: bigint;
  try {
    found = readQuantity(answer, 'chainId');
  } catch {
    return;
  }
  if (found !== BigInt(chainId))
    throw new UsageError(`${side}-rpc`, `names ${name}, which serves chain ${found} instead of ${chainId}`);
}

function listUrls(flags: Flags, env: Environment, side: Side): readonly string[] {
  const variable = `CAUSEWAY_${side.toUpperCase()}_RPC`;
  const urls = (flags[`${side}Rpc`] ?? [env[variable] ?? '']).flatMap((text) => text.split(',')).filter(Boolean);
  if (urls.length === 0)
    throw new UsageError(`${side}-rpc`, `is missing: give --${side}-rpc <url>, several for a quorum, or ${variable}`);
  for (const url of urls)
    if (!/^https?:\/\/./.test(url) || !URL.canParse(url))
      throw new UsageError(`${side}-rpc`, 'must be an http:// or https:// URL');
  if (new Set(urls).size < urls.length) throw new UsageError(`${side}-rpc`, 'names a node twice');
  return urls;
}

/** Named by its host, since the rest of the URL can contain a key. */
function toNode(url: string, index: number, all: readonly string[]): Node {
  const { host } = new URL(url);
  const isOnly = all.filter((each) => new URL(each).host === host).length === 1;
  const transport = http(url, { retryCount: 2, timeout: TIMEOUT_MS, fetchFn: fetchBounded });
  return { name: isOnly ? host : `${host} (${index + 1})`, client: createPublicClient({ transport }) };
}

/** Fetches an answer of limited size. */
export async function fetchBounded(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { body, status, headers } = await fetch(input, init);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > MAX_ANSWER) throw new Error(`an answer has more than ${MAX_ANSWER} bytes`);
    parts.push(part);
  }
  const type = headers.get('content-type');
  return new Response(Buffer.concat(parts), { status, headers: type === null ? {} : { 'content-type': type } });
}

function readConfirmations(text: string): readonly [number, number] {
  const [, ethereum, partner] = /^([1-9]\d{0,5}),([1-9]\d{0,5})$/.exec(text) ?? [];
  if (ethereum === undefined || partner === undefined)
    throw new UsageError('confirmations', 'must be two numbers, of Ethereum and of the partner chain: 12,6');
  return [Number(ethereum), Number(partner)];
}
