import { simulate, type CallRequest, type Simulation } from '@causeway/chain';
import { getToken, type AddressBook, type DelayReason } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { CallSubject, Operation } from '@causeway/store';
import type { Abi, Address } from 'viem';
import type { BridgeChain } from '../bridge-chain.js';
import type { Attestation } from '../exchange/attestation.js';
import type { Consent } from '../exchange/attesters.js';
import { getSimulationDelay } from '../wallet/delivery-delay.js';
import {
  deliveryGasLimit,
  encodeBatch,
  encodeDelivery,
  inBatches,
  listTerms,
  MAX_CALL_GAS,
  splitBySimulation,
  type Delivery,
  type PayableIntent,
} from './encode-delivery.js';
import type { DeliveryGroup } from './plan-deliveries.js';

const ABI = [...bridgeLockAbi, ...bridgeMintAbi] as Abi;
/** Errors of an attestation that was right when signed: the set has changed, or a clock is wrong. */
const VOID = new Set([
  'UnknownAttesterSet',
  'WrongSignatureCount',
  'NotAttester',
  'AttestationExpired',
  'AttestationTooLong',
  'AttestationRequired',
]);

/** A call that is ready to send, with its operations. */
interface ReadyDelivery {
  readonly request: CallRequest<CallSubject>;
  readonly operations: readonly Operation[];
}

/**
 * The result of simulating a group. `paid`: the contract has already paid the operation, but its event is not read yet.
 */
export interface Prepared {
  readonly ready: readonly ReadyDelivery[];
  readonly delayed: readonly { readonly operation: Operation; readonly reason: DelayReason; readonly why: string }[];
  readonly paid: readonly Operation[];
}

/** The input of preparing a delivery besides its operations. */
export interface PreparationInput {
  readonly chain: Pick<BridgeChain, 'side' | 'bridge'> & {
    readonly connection: Pick<BridgeChain['connection'], 'client'>;
  };
  readonly from: Address;
  readonly book: AddressBook;
  readonly findIntent: (id: Operation['id']) => Promise<PayableIntent | null>;
  /** The consent that the calls need; null while the contract requires none. */
  readonly consent: Consent | null;
}

const NOTHING: Prepared = { ready: [], delayed: [], paid: [] };

/**
 * Simulates the calls that deliver a group, and computes their gas limits. A batch needs one simulation. An operation
 * that it would skip is tried alone, which shows the reason. A batch that reverts is halved until the culprit is alone.
 * Where the contract requires a consent, attesters sign each call first.
 */
export async function prepareGroup(input: PreparationInput, group: DeliveryGroup): Promise<Prepared> {
  const { consent } = input;
  const signable = consent === null ? [group.operations] : consent.group(group.operations);
  const batches = signable.flatMap(inBatches);
  return joined(await Promise.all(batches.map((operations) => prepare(input, { ...group, operations }))));
}

async function prepare(input: PreparationInput, group: DeliveryGroup): Promise<Prepared> {
  const [first, ...others] = group.operations;
  if (first === undefined) return NOTHING;
  if (others.length === 0) return prepareOne(input, first, group.isPaidByWallet);
  const { operations, isPaidByWallet } = group;
  const { book } = input;
  const tried = await tryOut(input, operations, null, (consent) =>
    encodeBatch(operations, { book, isPaidByWallet, ...consent }),
  );
  if (tried === 'unsigned') return unsigned(operations);
  const { delivery, simulation } = tried;
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
  // The single functions of the specification take no attestation.
  const isBatch = input.consent !== null && operation.kind !== 'INTENT';
  const tried = await tryOut(input, [operation], intent, (consent) =>
    isBatch
      ? encodeBatch([operation], { book, isPaidByWallet, ...consent })
      : encodeDelivery(operation, { book, isPaidByWallet, intent, ...consent }),
  );
  if (tried === 'unsigned') return unsigned([operation]);
  const { delivery, simulation } = tried;
  if (simulation.kind === 'ok') {
    if (isBatch && splitBySimulation([operation], simulation.returned).skipped.length > 0)
      return explainSkip(input, operation);
    const gas = deliveryGasLimit(simulation.gas, [operation]);
    return delivery === null ? NOTHING : { ...NOTHING, ready: [makeReady(delivery, gas, [operation])] };
  }
  if (simulation.kind !== 'reverted' || simulation.errorName !== 'AlreadyDelivered')
    return delayed([operation], simulation, input);
  // The error names the operation, or the transfer of an intent. In the second case the intent was not paid.
  const delivered = `0x${simulation.data?.slice(-64).toLowerCase() ?? ''}`;
  if (delivered === operation.id) return { ...NOTHING, paid: [operation] };
  const why = `another intent was paid for its transfer ${delivered}`;
  return { ...NOTHING, delayed: [{ operation, reason: 'DESTINATION_REVERTED', why }] };
}

/** A batch of one reports a skip without its reason, so the reason comes from the contract's views. */
async function explainSkip({ chain, book }: PreparationInput, operation: Operation): Promise<Prepared> {
  const { side, bridge: address, connection } = chain;
  const { asset, outputAmount, fee, originNonce } = operation;
  const token = getToken(book, side, asset);
  const { client } = connection;
  const [lock, mint] = [{ address, abi: bridgeLockAbi, blockTag: 'pending' } as const, { address, abi: bridgeMintAbi }];
  const number = [originNonce ?? 0n] as const;
  const [isPaid, room] = await Promise.all([
    side === 'ethereum'
      ? client.readContract({ ...lock, functionName: 'isReleased', args: number })
      : client.readContract({ ...mint, functionName: 'isMinted', args: number, blockTag: 'pending' }),
    client.readContract({ ...lock, functionName: 'outflowRoom', args: [token] }),
  ]);
  if (isPaid) return { ...NOTHING, paid: [operation] };
  const reason = outputAmount + fee > room ? 'OUTFLOW_LIMIT' : await findShortage();
  return { ...NOTHING, delayed: [{ operation, reason, why: 'the contract would skip the operation' }] };

  /** Without a shortage, the contract does not deliver the asset at all. */
  async function findShortage(): Promise<DelayReason> {
    if (side === 'ethereum') {
      const locked = await client.readContract({ ...lock, functionName: 'locked', args: [token] });
      return locked < outputAmount + fee ? 'COLLATERAL_SHORT' : 'DESTINATION_REVERTED';
    }
    const float = await client.readContract({ ...mint, functionName: 'float', blockTag: 'pending' });
    return asset === 'XCN' && float < outputAmount ? 'FLOAT_SHORT' : 'DESTINATION_REVERTED';
  }
}

/**
 * Encodes and simulates, with the attesters' consent where the contract requires it. An encoding error counts as a
 * revert, so that it blocks no other operation.
 *
 * @returns `unsigned` when too few attesters signed in time, or the set has changed in the meantime.
 */
async function tryOut(
  { chain, from, book, consent }: PreparationInput,
  operations: readonly Operation[],
  intent: PayableIntent | null,
  encode: (signed: { readonly attestation?: Attestation }) => Delivery,
): Promise<{ delivery: Delivery | null; simulation: Simulation } | 'unsigned'> {
  const attempt = await encodeSigned().catch((error: unknown) => {
    const errorName = error instanceof Error ? error.message : String(error);
    return { delivery: null, simulation: { kind: 'reverted', errorName } as const };
  });
  if (attempt === null) return 'unsigned';
  if ('simulation' in attempt) return attempt;
  const simulation = await simulate(chain.connection.client, { from, ...attempt }, ABI);
  const isVoid = simulation.kind === 'reverted' && VOID.has(simulation.errorName);
  return isVoid ? 'unsigned' : { delivery: attempt, simulation };

  async function encodeSigned(): Promise<Delivery | null> {
    if (consent === null) return encode({});
    const ids = operations.map(({ id }) => id);
    const attestation = await consent.gather(ids, listTerms(operations, { book, intent }));
    return attestation === null ? null : encode({ attestation });
  }
}

function unsigned(operations: readonly Operation[]): Prepared {
  const why = 'too few attesters signed in time, or the attester set has changed';
  return {
    ...NOTHING,
    delayed: operations.map((operation) => ({ operation, reason: 'ATTESTERS_UNAVAILABLE' as const, why })),
  };
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
