import type { CallFrame, CallType } from '@causeway/partner-chain';
import type { Hex } from 'viem';

/** Accounts have keys, contracts have code. */
type PartyType = 'ACCOUNT' | 'CONTRACT';

/** What the actions of a transaction share. */
interface ActionContext {
  readonly timestamp: string;
  readonly isContract: (address: Hex) => boolean;
}

/** The highest address of a precompiled contract is far below this. */
const PRECOMPILES_END = 0x1_0000n;

/** A frame that is a message: a contract that destroys itself sends none. */
interface MessageFrame extends CallFrame {
  readonly type: CallType;
}

/** A message of a call tree and its position in it. */
interface Message {
  readonly frame: MessageFrame;
  readonly depth: number;
  /** Position in the order in which the messages started, from 0. */
  readonly index: number;
}

/** The messages of a call tree in the order in which they started. */
export function messagesOf(root: CallFrame): Message[] {
  const messages: Message[] = [];
  const visit = (frame: CallFrame, depth: number): void => {
    if (!isMessage(frame)) return;
    messages.push({ frame, depth, index: messages.length });
    for (const call of frame.calls) visit(call, depth + 1);
  };
  visit(root, 0);
  return messages;
}

function isMessage(frame: CallFrame): frame is MessageFrame {
  return frame.type !== 'SELFDESTRUCT';
}

/**
 * A message in the shape of a Hedera mirror node. Parties are addresses: this chain gives no numbers. `value` is in
 * units of 8 decimals; `input` and `result_data` are null where they were too large to be stored.
 */
export function toMirrorAction({ frame, depth, index }: Message, { timestamp, isContract }: ActionContext) {
  const partyType = (address: Hex): PartyType =>
    isPrecompile(address) || isContract(address) ? 'CONTRACT' : 'ACCOUNT';
  return {
    call_depth: depth,
    call_operation_type: frame.type,
    call_type: callTypeOf(frame),
    caller: frame.from,
    caller_type: depth === 0 ? 'ACCOUNT' : 'CONTRACT',
    from: frame.from,
    gas: frame.gas,
    gas_used: frame.gasUsed,
    index,
    input: frame.inputOmitted === true ? null : frame.input,
    recipient: frame.to,
    recipient_type: frame.to === null ? null : partyType(frame.to),
    ...resultOf(frame),
    timestamp,
    to: frame.to,
    value: frame.value,
  };
}

function callTypeOf({ type, to }: CallFrame): 'CALL' | 'CREATE' | 'PRECOMPILE' {
  if (type === 'CREATE' || type === 'CREATE2') return 'CREATE';
  return to !== null && isPrecompile(to) ? 'PRECOMPILE' : 'CALL';
}

/** The result of a message. Errors other than a revert have no data; their name stands there, as bytes. */
function resultOf(frame: CallFrame): {
  result_data: Hex | null;
  result_data_type: 'OUTPUT' | 'REVERT_REASON' | 'ERROR';
} {
  const { error } = frame;
  const output = frame.outputOmitted === true ? null : frame.output;
  if (error === null) return { result_data: output, result_data_type: 'OUTPUT' };
  if (error === 'revert') return { result_data: output, result_data_type: 'REVERT_REASON' };
  return { result_data: `0x${Buffer.from(error).toString('hex')}`, result_data_type: 'ERROR' };
}

function isPrecompile(address: Hex): boolean {
  const value = BigInt(address);
  return value > 0n && value < PRECOMPILES_END;
}
