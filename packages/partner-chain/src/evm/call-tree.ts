/** The opcode that sent a message. */
export type CallType = 'CALL' | 'CALLCODE' | 'CREATE' | 'CREATE2' | 'DELEGATECALL' | 'STATICCALL';

/** A message of a transaction with the messages that it sent: the call tree. Addresses and data are 0x-hex. */
export interface CallFrame {
  /** SELFDESTRUCT sends no message, but moves its contract's balance to the heir. */
  readonly type: CallType | 'SELFDESTRUCT';
  /** The contract or sender that made the call. */
  readonly from: `0x${string}`;
  /** The account whose code ran; the new contract of a creation, null if it failed; the heir of a SELFDESTRUCT. */
  to: `0x${string}` | null;
  /** Units of 8 decimals. */
  readonly value: bigint;
  gas: bigint;
  gasUsed: bigint;
  input: `0x${string}`;
  /** The input was too long to keep and is not in `input`. */
  inputOmitted?: true;
  output: `0x${string}`;
  /** The output was too long to keep and is not in `output`. */
  outputOmitted?: true;
  /** The EVM's error. A frame with an error did not change the state. */
  error: string | null;
  readonly calls: CallFrame[];
  /** In the outermost frame: number of omitted messages, and of omitted inputs and outputs of kept messages. */
  omitted?: number;
}

/**
 * The size of a message without its input and output: about its memory. A byte of data counts two, as hex.
 */
const MESSAGE_BYTES = 256;
/** Maximum messages to keep because they pay or lead to a payment. */
const MAX_PAYING = 20_000;
/** The EVM's limit of call depth. */
const MAX_DEPTH = 1_024;

/** Encodes a call tree as JSON text; quantities are decimal strings. */
export function encodeCallFrame(frame: CallFrame): string {
  return JSON.stringify(frame, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

/** Decodes the text of `encodeCallFrame`. */
export function decodeCallFrame(text: string): CallFrame {
  return JSON.parse(text, (key, value: unknown) =>
    key === 'value' || key === 'gas' || key === 'gasUsed' ? BigInt(String(value)) : value,
  ) as CallFrame;
}

/** Returns whether coin moves. A DELEGATECALL shows the value of its parent call, and a CALLCODE sends to itself. */
export function isPayment({ type, value }: CallFrame): boolean {
  return value > 0n && type !== 'DELEGATECALL' && type !== 'CALLCODE';
}

/** Converts bytes to 0x-hex. EthereumJS builds a string per byte, with 16 times the memory and far more time. */
export function toHex(bytes: Uint8Array): `0x${string}` {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/**
 * Trims the call tree of a transaction to its share: 3 bytes for each 4 gas that it used.
 *
 * A bridge knows a contract's payment only from the call tree, so no caller must be able to hide it. Another
 * transaction of the block cannot, because the share depends on this transaction alone. An earlier callee cannot,
 * because payments are kept first. The share is by used gas, because the transactions of a block share it. Gas limits
 * can add up to hundreds of times as much, and a call can carry 64 KiB for 100 gas.
 *
 * - Every transaction uses 21,000 gas and has at least 15,750 bytes: 50 messages with 50 bytes each.
 * - One with 200,000 gas has 150,000: 50 messages with 2.6 KiB each, or 500 messages with 32 bytes each.
 * - A block of 60 million gas has 45 million, about 90 MB in memory and on disk; 140 MB if nearly all are deep
 *   payments.
 *
 * The outermost message stays, because each byte of its input costs 10 gas or more. Messages that pay or lead to a
 * payment stay too, if necessary without their data, down to the depth at which they would exceed 20,000. A payment
 * costs 6,700 gas, so others cannot push out a payment less than nine calls deep. The outermost output is next, then
 * the messages in the order of their start. A message that is too large is omitted with everything below it. A
 * SELFDESTRUCT stays or goes with its contract's message and does not count: at 5,000 gas each there are few.
 *
 * @param gasUsed as in the receipt.
 */
export function trimCallTree(root: CallFrame, gasUsed: bigint): void {
  const paying = payingIn(root);
  const reserved = MESSAGE_BYTES * paying.size + bytesIn(root.input);
  let room = Math.max(Number((gasUsed * 3n) / 4n) - reserved, 0);
  let omitted = 0;
  const take = (bytes: number): boolean => {
    if (bytes > room) return false;
    room -= bytes;
    return true;
  };
  const trimOutput = (frame: CallFrame): void => {
    if (take(bytesIn(frame.output))) return;
    frame.output = '0x';
    frame.outputOmitted = true;
    omitted += 1;
  };
  const trimInput = (frame: CallFrame): void => {
    if (take(bytesIn(frame.input))) return;
    frame.input = '0x';
    frame.inputOmitted = true;
    omitted += 1;
  };
  const trimCalls = ({ calls }: CallFrame): void => {
    const kept = calls.filter((call) => {
      if (call.type === 'SELFDESTRUCT') return true;
      if (paying.has(call)) trimInput(call);
      else if (!take(MESSAGE_BYTES + bytesIn(call.input))) {
        omitted += piecesIn(call);
        return false;
      }
      trimCalls(call);
      trimOutput(call);
      return true;
    });
    if (kept.length < calls.length) calls.splice(0, calls.length, ...kept);
  };
  trimOutput(root);
  trimCalls(root);
  if (omitted > 0) root.omitted = (root.omitted ?? 0) + omitted;
}

function bytesIn(hex: `0x${string}`): number {
  return hex.length / 2 - 1;
}

/** Finds the outermost message and the messages that pay or lead to a payment, down to the depth within the limit. */
function payingIn(root: CallFrame): Set<CallFrame> {
  const downTo = (depth: number): Set<CallFrame> => {
    const paying = new Set([root]);
    collectPaying(root, depth, paying);
    return paying;
  };
  const all = downTo(Infinity);
  if (all.size <= MAX_PAYING) return all;
  let [enough, tooDeep] = [0, MAX_DEPTH];
  while (tooDeep - enough > 1) {
    const depth = (enough + tooDeep) >> 1;
    if (downTo(depth).size <= MAX_PAYING) enough = depth;
    else tooDeep = depth;
  }
  return downTo(enough);
}

/** @returns whether this frame pays or leads to a payment at most `depth` calls further down. */
function collectPaying(frame: CallFrame, depth: number, paying: Set<CallFrame>): boolean {
  let isPaying = isPayment(frame);
  if (depth > 0) for (const call of frame.calls) if (collectPaying(call, depth - 1, paying)) isPaying = true;
  if (isPaying && frame.type !== 'SELFDESTRUCT') paying.add(frame);
  return isPaying;
}

/** Counts the pieces that dropping this frame and everything below it removes. */
function piecesIn({ type, calls, inputOmitted, outputOmitted }: CallFrame): number {
  const own = type === 'SELFDESTRUCT' ? 0 : 1 - Number(inputOmitted ?? false) - Number(outputOmitted ?? false);
  return calls.reduce((sum, call) => sum + piecesIn(call), own);
}
