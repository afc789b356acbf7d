import { concat, keccak256, numberToHex, pad, stringToHex, type Address, type Hex } from 'viem';

const OPCODES: Readonly<Record<string, number>> = {
  STOP: 0x00,
  ADD: 0x01,
  MUL: 0x02,
  SUB: 0x03,
  LT: 0x10,
  GT: 0x11,
  EQ: 0x14,
  ISZERO: 0x15,
  SHL: 0x1b,
  SHR: 0x1c,
  ADDRESS: 0x30,
  BALANCE: 0x31,
  ORIGIN: 0x32,
  CALLER: 0x33,
  CALLVALUE: 0x34,
  CALLDATALOAD: 0x35,
  CALLDATASIZE: 0x36,
  CALLDATACOPY: 0x37,
  CODECOPY: 0x39,
  GASPRICE: 0x3a,
  EXTCODESIZE: 0x3b,
  RETURNDATASIZE: 0x3d,
  RETURNDATACOPY: 0x3e,
  BLOCKHASH: 0x40,
  COINBASE: 0x41,
  TIMESTAMP: 0x42,
  NUMBER: 0x43,
  CHAINID: 0x46,
  SELFBALANCE: 0x47,
  BASEFEE: 0x48,
  POP: 0x50,
  MLOAD: 0x51,
  MSTORE: 0x52,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMP: 0x56,
  JUMPI: 0x57,
  GAS: 0x5a,
  JUMPDEST: 0x5b,
  TLOAD: 0x5c,
  TSTORE: 0x5d,
  PUSH0: 0x5f,
  DUP1: 0x80,
  DUP2: 0x81,
  DUP3: 0x82,
  DUP4: 0x83,
  DUP5: 0x84,
  DUP6: 0x85,
  SWAP1: 0x90,
  SWAP2: 0x91,
  LOG0: 0xa0,
  LOG1: 0xa1,
  LOG2: 0xa2,
  LOG3: 0xa3,
  LOG4: 0xa4,
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  RETURN: 0xf3,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  STATICCALL: 0xfa,
  REVERT: 0xfd,
  INVALID: 0xfe,
  SELFDESTRUCT: 0xff,
};

/**
 * Assembles EVM code from words separated by spaces: an opcode's name; a 0x-hex or decimal number, which is pushed;
 * `name:` for a jump destination, `@name` for its offset.
 *
 * @example
 * assemble('CALLVALUE 0 MSTORE 32 0 RETURN'); // returns msg.value
 */
export function assemble(source: string): Hex {
  const tokens = source.split(/\s+/).filter((word) => word !== '');
  const labels = new Map<string, number>();
  let place = 0;
  for (const word of tokens) {
    if (word.endsWith(':')) labels.set(word.slice(0, -1), place);
    place += assembleWord(word, labels, true).length / 2;
  }
  return `0x${tokens.map((word) => assembleWord(word, labels, false)).join('')}`;
}

/** Returns initcode that deploys this code. */
export function deploying(runtime: Hex): Hex {
  const length = (runtime.length - 2) / 2;
  const head = assemble(`0x${hex(length, 4)} DUP1 0x${hex(12, 4)} PUSH0 CODECOPY PUSH0 RETURN`);
  const padded = head + '00'.repeat(12 - (head.length - 2) / 2);
  return `${padded as Hex}${runtime.slice(2)}`;
}

function assembleWord(word: string, labels: ReadonlyMap<string, number>, isFirstPass: boolean): string {
  if (word.endsWith(':')) return '5b';
  if (word.startsWith('@')) {
    const place = isFirstPass ? 0 : labels.get(word.slice(1));
    if (place === undefined) throw new Error(`${word} is nowhere`);
    return `61${hex(place, 4)}`;
  }
  if (word.startsWith('0x')) return hex(0x5f + (word.length - 2) / 2, 2) + word.slice(2);
  if (/^\d+$/.test(word)) {
    const digits = BigInt(word).toString(16);
    const even = digits.length % 2 === 0 ? digits : `0${digits}`;
    return hex(0x5f + even.length / 2, 2) + even;
  }
  const opcode = OPCODES[word];
  if (opcode === undefined) throw new Error(`${word} is not an opcode`);
  return hex(opcode, 2);
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

const at = (number: number): Address => `0x${'c0de'.repeat(9)}${number.toString(16).padStart(4, '0')}`;

/** Addresses of the contracts of a test chain. */
export const STORE = at(1);
export const LOGGER = at(2);
export const TOKEN = at(3);
export const REVERTER = at(4);
export const FORWARD = at(5);
export const FACTORY = at(6);
export const BOMB = at(7);
export const READER = at(8);
export const LOOP = at(9);
export const BUSY = at(10);

export const TRANSFER_TOPIC = keccak256(stringToHex('Transfer(address,address,uint256)'));
const FIRST_WORD = '0 CALLDATALOAD';
const ALL_DATA = 'CALLDATASIZE 0 0 CALLDATACOPY';
const RETURN_TOP = '0 MSTORE 32 0 RETURN';

/** Small contracts with one function each. Arguments are words of calldata, without a selector. */
export const CONTRACTS: Readonly<Record<Address, Hex>> = {
  /** store(slot, value) */
  [STORE]: assemble(`32 CALLDATALOAD ${FIRST_WORD} SSTORE STOP`),
  /** log(topic0, topic1, ...data) */
  [LOGGER]: assemble(`${ALL_DATA} 32 CALLDATALOAD ${FIRST_WORD} 64 CALLDATASIZE SUB 64 LOG2 STOP`),
  /** transfer(to, amount): only the event */
  [TOKEN]: assemble(`32 CALLDATALOAD 0 MSTORE ${FIRST_WORD} CALLER ${TRANSFER_TOPIC} 32 0 LOG3 STOP`),
  /** Writes, logs, and reverts with the word 7. */
  [REVERTER]: assemble(`1 2 SSTORE 0 0 LOG0 7 0 MSTORE 32 0 REVERT`),
  /** forward(to, ...data): calls with all value, gas and data; returns whether the call succeeded */
  [FORWARD]: assemble(
    `32 CALLDATASIZE SUB 32 0 CALLDATACOPY 0 0 32 CALLDATASIZE SUB 0 CALLVALUE ${FIRST_WORD} GAS CALL ${RETURN_TOP}`,
  ),
  /** create(...initcode): with all value; returns the address */
  [FACTORY]: assemble(`${ALL_DATA} CALLDATASIZE 0 CALLVALUE CREATE ${RETURN_TOP}`),
  /** explode(heir) */
  [BOMB]: assemble(`${FIRST_WORD} SELFDESTRUCT`),
  /** read() returns [msg.value, own balance, balance of the caller, gas price, base fee] */
  [READER]: assemble(
    'CALLVALUE 0 MSTORE SELFBALANCE 32 MSTORE CALLER BALANCE 64 MSTORE GASPRICE 96 MSTORE BASEFEE 128 MSTORE 160 0 RETURN',
  ),
  /** Never ends. */
  [LOOP]: assemble('again: @again JUMP'),
  /** Never ends, and takes seconds of computing for a transaction's gas. */
  [BUSY]: assemble('again: 1 0 MSTORE @again JUMP'),
};

/** Encodes calldata of words: numbers, addresses, or bytes at the end. */
export function words(...parts: readonly (bigint | Hex)[]): Hex {
  return concat(parts.map((part) => (typeof part === 'bigint' ? numberToHex(part, { size: 32 }) : padWord(part))));
}

function padWord(part: Hex): Hex {
  return part.length === 42 ? pad(part, { size: 32 }) : part;
}
