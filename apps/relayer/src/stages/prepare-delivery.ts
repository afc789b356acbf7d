import { simulate, type CallRequest, type Simulation } from '@causeway/chain';
import type { AddressBook, DelayReason } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { CallSubject, IntentRecord, Operation } from '@causeway/store';
import type { Abi, Address } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import { getSimulationDelay } from '../wallet/delivery-delay.js';
import {
  deliveryGasLimit,
  encodeBatch,
  encodeDelivery,
  inBatches,
  MAX_CALL_GAS,
  splitBySimulation,
  type Delivery,
} from './encode-delivery.js';
import type { DeliveryGroup } from './plan-deliveries.js';

const ABI = [...bridgeLockAbi, ...bridgeMintAbi] as Abi;

/** A call that is ready to be sent, with its operations. */
export interface ReadyDelivery {
  readonly request: CallRequest<CallSubject>;
  readonly operations: readonly Operation[];
}

/** The result of simulating a group. `paid`: the contract has paid it before, and its event is not read yet. */
export interface Prepared {
  readonly ready: readonly ReadyDelivery[];
  readonly delayed: readonly { readonly operation: Operation; readonly reason: DelayReason; readonly why: string }[];
  readonly paid: readonly Operation[];
}

/** The input of preparing a delivery beside its operations. */
export interface PreparationInput {
  readonly chain: Pick<BridgeChain, 'side' | 'connection'>;
  readonly from: Address;
  readonly book: AddressBook;
  readonly findIntent: (id: Operation['id']) => Promise<IntentRecord | null>;
}

const NOTHING: Prepared = { ready: [], delayed: [], paid: [] };

/**
 * Simulates the calls that deliver a group, and computes their gas limits. One simulation for a batch; an operation
 * that it would skip is tried alone, which names its reason, and a batch that reverts is halved until the culprit is
 * alone.
 */
export async function prepareGroup(input: PreparationInput, group: DeliveryGroup): Promise<Prepared> {
  return joined(
    await Promise.all(inBatches(group.operations).map((operations) => prepare(input, { ...group, operations }))),
  );
}

async function prepare(input: PreparationInput, group: DeliveryGroup): Promise<Prepared> {
  const [first, ...others] = group.operations;
  if (first === undefined) return NOTHING;
  if (others.length === 0) return prepareOne(input, first, group.isPaidByWallet);
  const { operations } = group;
  const { isPaidByWallet } = group;
  const { delivery, simulation } = await tryOut(input, () =>
    encodeBatch(operations, { book: input.book, isPaidByWallet }),
  );
  if (simulation.kind === 'unreachable') return delayed(operations, simulation, input);
  const part = (from: number, to: number) => prepare(input, { ...group, operations: operations.slice(from, to) });
  const half = operations.length >> 1;
  if (simulation.kind !== 'ok' || delivery === null)
    return joined([await part(0, half), await part(half, operations.length)]);
  const { paid, skipped } = splitBySimulation(operations, simulation.returned);
  if (skipped.length > 0) {
    const alone = [];
    for (const operation of skipped) alone.push(await prepareOne(input, operation, isPaidByWallet));
    return joined([...alone, await prepare(input, { ...group, operations: paid })]);
  }
  const gas = deliveryGasLimit(simulation.gas, operations);
  if (gas > MAX_CALL_GAS) return joined([await part(0, half), await part(half, operations.length)]);
  return { ...NOTHING, ready: [makeReady(delivery, gas, operations)] };
}

async function prepareOne(input: PreparationInput, operation: Operation, isPaidByWallet: boolean): Promise<Prepared> {
  const { book, findIntent } = input;
  const intent = operation.kind === 'INTENT' ? await findIntent(operation.id) : null;
  const { delivery, simulation } = await tryOut(input, () =>
    encodeDelivery(operation, { book, isPaidByWallet, intent }),
  );
  if (simulation.kind === 'ok') {
    const gas = deliveryGasLimit(simulation.gas, [operation]);
    return delivery === null ? NOTHING : { ...NOTHING, ready: [makeReady(delivery, gas, [operation])] };
  }
  if (simulation.kind === 'reverted' && simulation.errorName === 'AlreadyDelivered')
    return { ...NOTHING, paid: [operation] };
  return delayed([operation], simulation, input);
}

/** Encodes and simulates. What cannot be encoded counts as reverted: it must hold up no other operation. */
async function tryOut(
  { chain, from }: PreparationInput,
  encode: () => Delivery,
): Promise<{ delivery: Delivery | null; simulation: Simulation }> {
  let delivery: Delivery;
  try {
    delivery = encode();
  } catch (error) {
    const errorName = error instanceof Error ? error.message : String(error);
    return { delivery: null, simulation: { kind: 'reverted', errorName } };
  }
  return { delivery, simulation: await simulate(chain.connection.client, { from, ...delivery }, ABI) };
}

function makeReady(delivery: Delivery, gas: bigint, operations: readonly Operation[]): ReadyDelivery {
  const subject: CallSubject = { purpose: 'DELIVERY', operationIds: operations.map(({ id }) => id) };
  return { request: { ...delivery, gas, deliveries: operations.length, subject }, operations };
}

function delayed(
  operations: readonly Operation[],
  simulation: Exclude<Simulation, { kind: 'ok' }>,
  { chain }: PreparationInput,
): Prepared {
  const reason = getSimulationDelay(simulation, chain.side);
  const why = simulation.kind === 'reverted' ? simulation.errorName : simulation.kind;
  return { ...NOTHING, delayed: operations.map((operation) => ({ operation, reason, why })) };
}

function joined(parts: readonly Prepared[]): Prepared {
  return {
    ready: parts.flatMap(({ ready }) => ready),
    delayed: parts.flatMap((part) => part.delayed),
    paid: parts.flatMap(({ paid }) => paid),
  };
}
