import { adminTimelockAbi, bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '@causeway/contracts/abi';
import { encodeAbiParameters, toEventSelector, type AbiEvent, type Hex } from 'viem';

export type EventArguments = Readonly<Record<string, unknown>>;

const EVENTS = new Map<string, { readonly item: AbiEvent; readonly topic: Hex }>(
  [...bridgeLockAbi, ...bridgeMintAbi, ...adminTimelockAbi, ...sentinelAbi].flatMap((item) =>
    item.type === 'event' ? [[item.name, { item: item as AbiEvent, topic: toEventSelector(item) }] as const] : [],
  ),
);

/** Encodes an event by its name. Words by hand: viem would take most of the time of a generated chain. */
export function encodeEvent(
  name: string,
  args: EventArguments,
): { readonly topics: readonly Hex[]; readonly data: Hex } {
  const event = EVENTS.get(name);
  if (event === undefined) throw new Error(`no contract has the event ${name}`);
  const { inputs } = event.item;
  const topics = inputs.filter(({ indexed }) => indexed).map((input) => `0x${toWord(args[input.name ?? ''])}` as const);
  const inData = inputs.filter(({ indexed }) => indexed !== true);
  const values = inData.map(({ name: field = '' }) => args[field]);
  const isFixed = inData.every(({ type }) => !type.endsWith('[]') && type !== 'bytes');
  const data = isFixed ? (`0x${values.map(toWord).join('')}` as const) : encodeAbiParameters(inData, values);
  return { topics: [event.topic, ...topics], data };
}

function toWord(value: unknown): string {
  if (typeof value === 'string') return value.slice(2).padStart(64, '0');
  return BigInt(value as bigint | number | boolean)
    .toString(16)
    .padStart(64, '0');
}
