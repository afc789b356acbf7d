import type { Requests } from '../backends/backend.js';
import type { Method } from '../jsonrpc/method.js';
import {
  address,
  blockParameter,
  data,
  hash,
  limitedList,
  quantity,
  quantity64,
  storageSlot,
} from '../schemas/primitives.js';
import { callRequest } from '../schemas/call-request.js';
import { blockOverrides, stateOverrides } from '../schemas/overrides.js';
import { accountProof } from '../schemas/simulations.js';
import { forward, forwardCall, param } from './forward.js';

/** Maximum slots of one proof, as in geth. */
const MAX_SLOTS = 1_024;

/** The state of accounts, and execution (spec "Standard methods"). An unknown block gets -32001. */
export function stateMethods(backend: Requests): readonly Method[] {
  const account = param('address', address);
  const atBlock = param('block', blockParameter.default('latest'), 'Default: latest.');
  const callParams = [
    param('call', callRequest),
    atBlock,
    param('stateOverrides', stateOverrides),
    param('blockOverrides', blockOverrides),
  ];
  return [
    forward(backend, {
      name: 'eth_getBalance',
      summary: 'Account balance in wei (18 decimals).',
      params: [account, atBlock],
      result: { name: 'balance', schema: quantity },
      example: { params: ['0x000000000000000000000000000000000000dead', 'latest'], result: '0xde0b6b3a7640000' },
    }),
    forward(backend, {
      name: 'eth_getTransactionCount',
      summary: 'Nonce: the number of transactions the account has sent.',
      params: [account, atBlock],
      result: { name: 'nonce', schema: quantity64 },
      example: { params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 'pending'], result: '0x1' },
    }),
    forward(backend, {
      name: 'eth_getCode',
      summary: 'Contract code; 0x for an account without code.',
      params: [account, atBlock],
      result: { name: 'code', schema: data },
      example: { params: ['0x000000000000000000000000000000000000dead', 'latest'], result: '0x' },
    }),
    forward(backend, {
      name: 'eth_getStorageAt',
      summary: 'A storage slot of a contract.',
      params: [account, param('slot', storageSlot), atBlock],
      result: { name: 'word', schema: hash },
      example: {
        params: ['0x000000000000000000000000000000000000dead', '0x0', 'latest'],
        result: `0x${'0'.repeat(64)}`,
      },
    }),
    forwardCall(backend, {
      name: 'eth_call',
      summary: 'Executes a call without a transaction; returns the bytes that the code returned.',
      params: callParams,
      result: { name: 'returned', schema: data },
    }),
    forwardCall(backend, {
      name: 'eth_estimateGas',
      summary:
        'Gas estimate: about 587,000 for a transfer to an address that does not exist yet, 21,000 to one that does. Never hardcode it.',
      params: callParams,
      result: { name: 'gas', schema: quantity64 },
      example: {
        params: [
          {
            from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
            to: '0x000000000000000000000000000000000000dead',
            value: '0xde0b6b3a7640000',
          },
        ],
        result: '0x5208',
      },
    }),
    forward(backend, {
      name: 'eth_getProof',
      summary:
        'An account and slots of its storage, with their proofs to the state root of the block (EIP-1186). On a chain whose coin has 8 decimals inside, the balance in the proof is in units of 10^10 wei.',
      params: [
        account,
        param('slots', limitedList(storageSlot, MAX_SLOTS, 'must be an array of at most 1,024 slots')),
        atBlock,
      ],
      result: { name: 'proof', schema: accountProof },
    }),
  ];
}
