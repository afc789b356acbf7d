import { bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import { decodeEventLog, toEventSelector, type Abi, type AbiEvent, type Address, type Hex } from 'viem';
import type { Log } from './receipt.js';

/** The hex digits of a word. */
const WORD = 64;

/** The value of an event's field. Hex is lower-case, integers are bigints. */
export type FieldValue = bigint | boolean | string | readonly string[];

/** An event by its ABI. */
export interface DecodedEvent {
  readonly name: string;
  readonly args: Readonly<Record<string, FieldValue>>;
}

/** A field of one word, in a topic or in the data. */
interface Field {
  readonly name: string;
  readonly type: string;
  /** Its place among the topics, or null. */
  readonly topic: number | null;
  /** Where its word begins in the data. */
  readonly offset: number;
}

interface EventForm {
  readonly name: string;
  readonly abi: Abi;
  /** Null when a field has no fixed size. */
  readonly fields: readonly Field[] | null;
  readonly topics: number;
  /** Of the data as hex. */
  readonly length: number;
}

/**
 * Creates the decoder of the events of these ABIs; it returns null for any other log. It reads words by their place.
 * viem's decodeEventLog, which events with arrays or bytes still use, takes 20 times as long.
 */
export function createDecoder(...abis: readonly Abi[]): (log: Pick<Log, 'topics' | 'data'>) => DecodedEvent | null {
  const forms = new Map(
    abis.flat().flatMap((item) => (item.type === 'event' ? [[toEventSelector(item), toForm(item)] as const] : [])),
  );
  return (log) => {
    const form = forms.get(log.topics[0] ?? '0x');
    return form === undefined ? null : decodeForm(form, log);
  };
}

function toForm(item: AbiEvent): EventForm {
  let [topics, offset] = [1, 2];
  const fields = item.inputs.map(({ name = '', type, indexed }): Field => {
    const isTopic = indexed === true;
    const field = { name, type, topic: isTopic ? topics : null, offset };
    if (isTopic) topics += 1;
    else offset += WORD;
    return field;
  });
  const isFixed = item.inputs.every(({ type }) => /^(address|bool|bytes32|uint\d+)$/.test(type));
  return { name: item.name, abi: [item], fields: isFixed ? fields : null, topics, length: offset };
}

function decodeForm({ name, abi, fields, topics, length }: EventForm, log: Pick<Log, 'topics' | 'data'>) {
  if (fields === null) return decodeSlowly(abi, log);
  // An event of another contract or of a later version.
  if (log.topics.length !== topics || log.data.length !== length) return null;
  const args: Record<string, FieldValue> = {};
  for (const field of fields) {
    const word = field.topic === null ? log.data.slice(field.offset, field.offset + WORD) : log.topics[field.topic];
    args[field.name] = readWord(field.type, word ?? '');
  }
  return { name, args };
}

/** `word`: with 0x if it is a topic. */
function readWord(type: string, word: string): FieldValue {
  switch (type) {
    case 'address':
      return `0x${word.slice(-40)}`;
    case 'bool':
      return word.endsWith('1');
    case 'bytes32':
      return word.length === WORD ? `0x${word}` : word;
    default:
      return BigInt(word.length === WORD ? `0x${word}` : word);
  }
}

function decodeSlowly(abi: Abi, { topics, data }: Pick<Log, 'topics' | 'data'>): DecodedEvent | null {
  try {
    const { eventName, args } = decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data });
    const entries = Object.entries(args as unknown as Readonly<Record<string, unknown>>);
    return { name: String(eventName), args: Object.fromEntries(entries.map(([key, value]) => [key, toValue(value)])) };
  } catch {
    // An event of another contract or of a later version.
    return null;
  }
}

function toValue(value: unknown): FieldValue {
  if (typeof value === 'number') return BigInt(value);
  if (Array.isArray(value)) return value.map(lower);
  return typeof value === 'string' ? value.toLowerCase() : (value as bigint | boolean);
}

const decode = createDecoder(bridgeLockAbi, bridgeMintAbi);

/** The event that begins a numbered operation. `fee` of a deposit is 0. */
export interface BeginningEvent {
  readonly number: bigint;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly sender: Address;
}

/** A delivery or a refund that a contract paid. `fee` of a mint or a refund is 0. */
export interface PaidEvent {
  readonly name: 'Mint' | 'Release' | 'Refunded';
  readonly id: Hex;
  readonly token: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly fee: bigint;
}

/** Decodes a Deposit or Withdraw event; null for other logs. */
export function decodeBeginning(log: Log): (BeginningEvent & { readonly name: string; readonly id: Hex }) | null {
  const event = decode(log);
  return event === null ? null : toBeginning(event);
}

/** The terms of a Deposit or Withdraw event; null for another event. */
export function toBeginning(
  event: DecodedEvent,
): (BeginningEvent & { readonly name: string; readonly id: Hex }) | null {
  const { name, args } = event;
  if (name !== 'Deposit' && name !== 'Withdraw') return null;
  const isDeposit = name === 'Deposit';
  return {
    name,
    token: readHex(args['token']),
    sender: readHex(args['sender']),
    number: readInteger(args['nonce']),
    amount: readInteger(args['amount']),
    id: readHex(isDeposit ? args['depositId'] : args['withdrawId']),
    recipient: readHex(isDeposit ? args['recipient'] : args['destination']),
    fee: readInteger(args['fee']),
  };
}

/** Decodes a Mint, Release or Refunded event; null for other logs. */
export function decodePaid(log: Log): PaidEvent | null {
  const event = decode(log);
  return event === null ? null : toPaid(event);
}

/** The terms of a Mint, Release or Refunded event; null for another event. */
export function toPaid({ name, args }: DecodedEvent): PaidEvent | null {
  if (name !== 'Mint' && name !== 'Release' && name !== 'Refunded') return null;
  const id = readHex(args['depositId'] ?? args['withdrawId'] ?? args['refundId']);
  const [token, recipient] = [readHex(args['token']), readHex(args['recipient'])];
  return { name, id, token, recipient, amount: readInteger(args['amount']), fee: readInteger(args['fee']) };
}

/** The new relayer wallet of a RelayerChanged event; null for other logs. */
export function decodeRelayer(log: Log): Address | null {
  const event = decode(log);
  return event?.name === 'RelayerChanged' ? readHex(event.args['current']) : null;
}

/** A field of an event that is an address or bytes. */
export function readHex(value: FieldValue | undefined): Hex {
  return typeof value === 'string' ? (value as Hex) : '0x';
}

/** A field of an event that is an integer; 0 if the event does not have it. */
export function readInteger(value: FieldValue | undefined): bigint {
  return typeof value === 'bigint' ? value : 0n;
}

/** The first topics of the named events. */
export function getSelectors(
  abi: readonly { readonly type: string; readonly name?: string }[],
  names: readonly string[],
): readonly Hex[] {
  return abi.flatMap((item) =>
    item.type === 'event' && names.includes(item.name ?? '')
      ? [toEventSelector(item as Parameters<typeof toEventSelector>[0])]
      : [],
  );
}

/** Duplicated on purpose: the verifier shares no code with the programs that it judges. */
function lower(text: unknown): Address {
  return String(text).toLowerCase() as Address;
}
