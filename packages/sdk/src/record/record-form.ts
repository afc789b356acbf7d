import { canonicalJson, type CanonicalValue } from '@causeway/protocol';
import { isAddress, keccak256, slice, stringToBytes, type Hex } from 'viem';
import { RecordError } from '../errors.js';
import { RECORD_VERSION, TRANSFER_KINDS, type Step, type TransferRecord } from './record.js';

/** A smart account's signature has at most 1,024 bytes, or 8,192 with its ERC-6492 wrapper. */
const MOST_BYTES = 20_000;
const CHECKSUM_BYTES = 8;

/** Adds the checksum to a record. */
export function sealRecord(record: Omit<TransferRecord, 'checksum'>): TransferRecord {
  return { ...record, checksum: computeChecksum(record) };
}

function computeChecksum(record: object): Hex {
  // Round trip through JSON, which drops undefined values.
  const { checksum: _, ...terms } = JSON.parse(JSON.stringify(record)) as Record<string, CanonicalValue>;
  return slice(keccak256(stringToBytes(canonicalJson(terms))), 0, CHECKSUM_BYTES);
}

const HASH = /^0x[0-9a-f]{64}$/i;
const DIGITS = /^\d{1,78}$/;
const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isAccount = (value: unknown): boolean => isText(value) && isAddress(value);
const makeChoice = (list: readonly string[]) => (value: unknown) => isText(value) && list.includes(value);
const isDigits = (value: unknown): boolean => isText(value) && DIGITS.test(value);
const isHex = (value: unknown): boolean => isText(value) && /^0x([0-9a-f]{2})*$/i.test(value);
const isHash = (value: unknown): boolean => isText(value) && HASH.test(value);
/** EIP-5792 allows up to 4,096 bytes. */
const isCallsId = (value: unknown): boolean => isText(value) && value.length <= 8_194;
const isTime = (value: unknown): boolean => isText(value) && !Number.isNaN(Date.parse(value));
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

type Check = (value: unknown) => boolean;
type Checks = Readonly<Record<string, Check>>;

const FIELDS: { readonly [Name in keyof TransferRecord]: Check } = {
  version: (value) => value === RECORD_VERSION,
  id: isHash,
  revision: isCount,
  environment: makeChoice(['local', 'testnet', 'mainnet']),
  kind: makeChoice(TRANSFER_KINDS),
  asset: isText,
  amount: isDigits,
  maxFee: isDigits,
  sender: isAccount,
  recipient: isAccount,
  chainId: isCount,
  contract: isAccount,
  token: isAccount,
  fromBlock: isDigits,
  createdAt: isTime,
  steps: (value) => Array.isArray(value) && value.length > 0 && value.length <= 10,
  checksum: isHex,
};

const SEND_STATES = ['planned', 'refused', 'asked', 'sent', 'done', 'failed'];
const STEP_FIELDS: { readonly [Name in Step['step']]: Checks } = {
  sign: {
    what: makeChoice(['authorization', 'permit', 'intent']),
    state: makeChoice(['planned', 'refused', 'asked', 'done']),
    domain: (value) => ['name', 'version'].every((name) => isText(Object(value)[name])),
    nonce: (value) => isHash(value) || isDigits(value),
    deadline: isCount,
    signature: optional(isHex),
  },
  send: {
    what: makeChoice(['approval', 'transfer', 'payment']),
    state: makeChoice(SEND_STATES),
    nonce: optional(isCount),
    nonceBefore: optional(isCount),
    hash: optional(isHash),
    replacedBy: optional(isHash),
  },
  batch: { state: makeChoice(SEND_STATES), callsId: isCallsId, hash: optional(isHash) },
  register: {
    state: makeChoice(['planned', 'done']),
    intentId: optional(isHash),
    relayerWallet: optional(isAccount),
    expiresAt: optional(isTime),
  },
  bind: { state: makeChoice(['planned', 'done']) },
};

/**
 * Parses a record saved as JSON.
 *
 * @param text the JSON, or the object.
 * @throws RecordError that names the first missing, malformed or altered field, or a newer version.
 */
export function parseRecord(text: unknown): TransferRecord {
  const record = isText(text) ? parseJson(text) : text;
  if (typeof record !== 'object' || record === null) throw new RecordError('record', 'is not an object');
  const { version, steps, checksum } = record as Partial<Record<keyof TransferRecord, unknown>>;
  if (isCount(version) && (version as number) > RECORD_VERSION)
    throw new RecordError('version', `is ${String(version)}: a newer package wrote it`, 'Reload or update this app.');
  checkFields(record, FIELDS, '');
  for (const [index, step] of (steps as readonly unknown[]).entries()) checkStep(step, `steps.${index}`);
  if (checksum !== computeChecksum(record)) throw new RecordError('checksum', 'shows that the record was altered');
  return record as TransferRecord;
}

function parseJson(text: string): unknown {
  if (text.length > MOST_BYTES) throw new RecordError('record', `is longer than ${MOST_BYTES} characters`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RecordError('record', 'is not JSON');
  }
}

function checkStep(step: unknown, path: string): void {
  const name = typeof step === 'object' && step !== null ? (step as { step?: unknown }).step : undefined;
  if (!makeChoice(Object.keys(STEP_FIELDS))(name)) throw new RecordError(`${path}.step`, 'is unknown');
  checkFields(step as object, STEP_FIELDS[name as Step['step']], `${path}.`);
}

function checkFields(value: object, checks: Checks, prefix: string): void {
  for (const [name, check] of Object.entries(checks)) {
    if (!check((value as Readonly<Record<string, unknown>>)[name]))
      throw new RecordError(`${prefix}${name}`, 'is not valid');
  }
}
