/** How a message was sent. */
export type CallType = 'CALL' | 'CALLCODE' | 'CREATE' | 'CREATE2' | 'DELEGATECALL' | 'STATICCALL';

/** One message of a transaction, and the messages it sent in turn: the call tree. Addresses and data are 0x-hex. */
export interface CallFrame {
  /** A contract that destroys itself sends no message, and yet its balance goes from it to its heir. */
  readonly type: CallType | 'SELFDESTRUCT';
  /** The contract (or sender) that made the call. */
  readonly from: `0x${string}`;
  /** Whose code ran; the new contract of a creation, null if none came of it; the heir of a contract that destroyed itself. */
  to: `0x${string}` | null;
  /** Units of 8 decimals. */
  readonly value: bigint;
  gas: bigint;
  gasUsed: bigint;
  input: `0x${string}`;
  /** The input was too much to be kept: it is not what stands there. */
  inputOmitted?: true;
  output: `0x${string}`;
  /** The output was too much to be kept: it is not what stands there. */
  outputOmitted?: true;
  /** What went wrong, in the EVM's words; a frame with an error left no trace in the state. */
  error: string | null;
  readonly calls: CallFrame[];
  /** At the outermost frame: how many messages, and inputs and outputs of those that are there, were too many or too much to be kept. */
  omitted?: number;
}
