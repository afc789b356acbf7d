import { bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import { decodeEventLog, toEventSelector, type Abi, type Address, type Hex } from 'viem';
import type { Log } from './receipt.js';

/** The events of both contracts by their first topic. Otherwise viem would hash the whole ABI for each log. */
const EVENTS = new Map(
  [...bridgeLockAbi, ...bridgeMintAbi].flatMap((item) =>
    item.type === 'event' ? [[toEventSelector(item), [item] as Abi] as const] : [],
  ),
);

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
  if (event === null) return null;
  const { args } = event;
  const common = { name: event.name, token: lower(args['token']), sender: lower(args['sender']) };
  const sum = { number: BigInt(args['nonce'] ?? 0), amount: BigInt(args['amount'] ?? 0) };
  if (event.name === 'Deposit')
    return { ...common, ...sum, id: lower(args['depositId']), recipient: lower(args['recipient']), fee: 0n };
  if (event.name !== 'Withdraw') return null;
  const [id, recipient] = [lower(args['withdrawId']), lower(args['destination'])];
  return { ...common, ...sum, id, recipient, fee: BigInt(args['fee'] ?? 0) };
}

/** Decodes a Mint, Release or Refunded event; null for other logs. */
export function decodePaid(log: Log): PaidEvent | null {
  const event = decode(log);
  if (event === null) return null;
  const { name, args } = event;
  if (name !== 'Mint' && name !== 'Release' && name !== 'Refunded') return null;
  // Flattened, since histories keep the id: the string that viem joins from bytes takes a kilobyte.
  const id = lower(args['depositId'] ?? args['withdrawId'] ?? args['refundId']);
  const [token, recipient] = [lower(args['token']), lower(args['recipient'])];
  return { name, id, token, recipient, amount: BigInt(args['amount'] ?? 0), fee: BigInt(args['fee'] ?? 0) };
}

/** The new relayer wallet of a RelayerChanged event; null for other logs. */
export function decodeRelayer(log: Log): Address | null {
  const event = decode(log);
  return event?.name === 'RelayerChanged' ? lower(event.args['current']) : null;
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

type Arguments = Readonly<Record<string, bigint | string | undefined>>;

interface DecodedEvent {
  readonly name: string;
  readonly args: Arguments;
}

function decode(log: Log): DecodedEvent | null {
  const abi = EVENTS.get(log.topics[0] ?? '0x');
  if (abi === undefined) return null;
  try {
    const { eventName, args } = decodeEventLog({ abi, topics: log.topics as [Hex, ...Hex[]], data: log.data });
    return { name: String(eventName), args: args as unknown as Arguments };
  } catch {
    // An event of another contract or of a later version.
    return null;
  }
}

/** Duplicated on purpose: the verifier shares no code with the programs that it judges. */
function lower(text: unknown): Address {
  return String(text).toLowerCase() as Address;
}
