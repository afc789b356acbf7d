import { concat, keccak256, numberToHex, pad, stringToHex, type Address, type Hex } from 'viem';
import { assemble } from './assemble.js';

const at = (number: number): Address => `0x${'c0de'.repeat(9)}${number.toString(16).padStart(4, '0')}`;

/** Where the contracts of a test chain are. */
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

/** Small contracts, each of which does one thing. Arguments are words of calldata, without a selector. */
export const CONTRACTS: Readonly<Record<Address, Hex>> = {
  /** store(slot, value) */
  [STORE]: assemble(`32 CALLDATALOAD ${FIRST_WORD} SSTORE STOP`),
  /** log(topic0, topic1, ...data) */
  [LOGGER]: assemble(`${ALL_DATA} 32 CALLDATALOAD ${FIRST_WORD} 64 CALLDATASIZE SUB 64 LOG2 STOP`),
  /** transfer(to, amount): the event alone */
  [TOKEN]: assemble(`32 CALLDATALOAD 0 MSTORE ${FIRST_WORD} CALLER ${TRANSFER_TOPIC} 32 0 LOG3 STOP`),
  /** Writes, logs, reverts with the word 7. */
  [REVERTER]: assemble(`1 2 SSTORE 0 0 LOG0 7 0 MSTORE 32 0 REVERT`),
  /** forward(to, ...data): calls with all value, gas and data; returns whether that went well */
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
  /** Never ends, and takes seconds of computing for the gas of a transaction. */
  [BUSY]: assemble('again: 1 0 MSTORE @again JUMP'),
};

/** Calldata of words: numbers, addresses, or bytes at the end. */
export function words(...parts: readonly (bigint | Hex)[]): Hex {
  return concat(parts.map((part) => (typeof part === 'bigint' ? numberToHex(part, { size: 32 }) : wordOf(part))));
}

function wordOf(part: Hex): Hex {
  return part.length === 42 ? pad(part, { size: 32 }) : part;
}
