import { keccak256, stringToBytes } from 'viem';
import type { Side } from '../nodes/finality.js';
import type { VerifierSettings } from '../settings.js';
import { isCoin, type Books, type Cursor, type SideBooks } from './books.js';
import { Overlay } from './overlay.js';
import { Sums } from './sums.js';
import { TrustBooks, type TrustState } from './trust.js';

/** Of the form of the state. */
const VERSION = 1;
/** Marks a bigint, which JSON does not have. No text of the books begins with it. */
const BIGINT = '#';

export type BadStateReason = 'MALFORMED' | 'NEWER' | 'OTHER_BRIDGE' | 'ALTERED';

/** A saved state cannot be resumed: read the chains from their start. */
export class BadStateError extends Error {
  override readonly name = 'BadStateError';
  constructor(
    readonly reason: BadStateReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

type Cursors = Readonly<Record<Side, Cursor | null>>;

/** The saved books: overlays as lists of entries, bigints as marked text. */
export function writeState(settings: VerifierSettings, books: Books, cursors: Cursors): unknown {
  const writeSide = (side: SideBooks) => ({
    begun: side.begun,
    pending: [...side.pending.entries()],
    misdelivered: [...side.misdelivered.entries()],
    words: [...side.words.entries()],
    paid: [...side.paid.entries()],
    wallets: [...side.wallets.entries()],
    relayer: side.relayer,
    attesters: side.attesters,
  });
  const body = toJson({
    cursors,
    sides: { ethereum: writeSide(books.sides.ethereum), partner: writeSide(books.sides.partner) },
    waiting: [...books.waiting.entries()],
    sweeps: [...books.sweeps.entries()],
    unswept: [...books.unswept.entries()],
    policies: [...books.policies.entries()],
    sums: [...books.sums].map(([symbol, sums]) => [symbol, sums.toState()]),
    trust: books.trust.toState(),
    findings: books.findings,
    unasked: books.unasked,
    undecided: books.undecided,
  });
  const bridge = identify(settings);
  return { version: VERSION, bridge, checksum: toChecksum(bridge, body), body };
}

/** @throws BadStateError */
export function readState(settings: VerifierSettings, state: unknown): { books: Books; cursors: Cursors } {
  if (!isRecord(state) || typeof state['version'] !== 'number')
    throw new BadStateError('MALFORMED', 'The state is not one of a ledger.');
  const { version, bridge, checksum, body } = state;
  if (version > VERSION)
    throw new BadStateError('NEWER', `The state has version ${version}; this program reads ${VERSION}.`);
  if (typeof bridge !== 'string' || !isRecord(body)) throw new BadStateError('MALFORMED', 'The state has no books.');
  if (bridge !== identify(settings))
    throw new BadStateError('OTHER_BRIDGE', 'The state belongs to another bridge or to other settings.');
  if (checksum !== toChecksum(bridge, body))
    throw new BadStateError('ALTERED', 'The state was altered: it does not have its checksum.');
  try {
    return readBody(settings, fromJson(body) as Body);
  } catch (cause) {
    throw new BadStateError('MALFORMED', 'The books of the state have another form.', { cause });
  }
}

type Entries<T> = T extends Overlay<infer K, infer V> ? readonly (readonly [K, V])[] : T;
type SideBody = { readonly [K in keyof SideBooks]: Entries<SideBooks[K]> };
interface Body extends Pick<Books, 'findings' | 'unasked' | 'undecided'> {
  readonly cursors: Cursors;
  readonly sides: Readonly<Record<Side, SideBody>>;
  readonly waiting: Entries<Books['waiting']>;
  readonly sweeps: Entries<Books['sweeps']>;
  readonly unswept: Entries<Books['unswept']>;
  readonly policies: Entries<Books['policies']>;
  readonly sums: readonly (readonly [string, ReturnType<Sums['toState']>])[];
  readonly trust: TrustState;
}

function readBody({ assets }: VerifierSettings, body: Body): { books: Books; cursors: Cursors } {
  const readSide = (side: SideBody): SideBooks => ({
    ...side,
    pending: toOverlay(side.pending),
    misdelivered: toOverlay(side.misdelivered),
    words: toOverlay(side.words),
    paid: toOverlay(side.paid),
    wallets: toOverlay(side.wallets),
  });
  const coins = new Set(assets.filter(isCoin).map(({ symbol }) => symbol));
  const books = {
    sides: { ethereum: readSide(body.sides.ethereum), partner: readSide(body.sides.partner) },
    waiting: toOverlay(body.waiting),
    sweeps: toOverlay(body.sweeps),
    unswept: toOverlay(body.unswept),
    policies: toOverlay(body.policies),
    sums: new Map(body.sums.map(([symbol, sums]) => [symbol, new Sums(coins.has(symbol), sums)])),
    trust: new TrustBooks(body.trust),
    findings: [...body.findings],
    unasked: body.unasked,
    undecided: body.undecided,
  };
  return { books, cursors: body.cursors };
}

function toOverlay<K, V>(entries: readonly (readonly [K, V])[]): Overlay<K, V> {
  const overlay = new Overlay<K, V>();
  for (const [key, value] of entries) overlay.set(key, value);
  return overlay;
}

/** The settings that the books depend on. */
function identify({ ethereum, partner, assets }: VerifierSettings): string {
  const contracts = [ethereum, partner].map(({ chainId, contract, deployedAtBlock }) => [
    chainId,
    contract,
    String(deployedAtBlock),
  ]);
  const tokens = assets.map(({ symbol, tokens: { ethereum: lock, partner: mint } }) => [symbol, lock, mint]);
  return JSON.stringify([contracts, tokens]);
}

function toChecksum(bridge: string, body: unknown): string {
  return keccak256(stringToBytes(`${VERSION}${bridge}${JSON.stringify(body)}`));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return `${BIGINT}${value}`;
  return mapMembers(value, toJson);
}

function fromJson(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith(BIGINT)) return BigInt(value.slice(BIGINT.length));
  return mapMembers(value, fromJson);
}

function mapMembers(value: unknown, map: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, map(member)]));
}
