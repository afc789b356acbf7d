import type { Backend } from '../../backends/backend.js';
import type { Method } from '../../jsonrpc/types.js';
import { blockParameter } from '../../schemas/block-params.js';
import { address, data, hash, quantity, quantity64, storageSlot } from '../../schemas/primitives.js';
import { forward, param } from '../forward.js';

/** The state of accounts after a block (spec "Standard methods"). State of a block that does not exist is -32001. */
export function accountMethods(backend: Backend): readonly Method[] {
  const account = param('address', address);
  const atBlock = param('block', blockParameter.default('latest'), 'latest when left out.');
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
      summary: 'Nonce: how many transactions the account has sent.',
      params: [account, atBlock],
      result: { name: 'nonce', schema: quantity64 },
      example: { params: ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', 'pending'], result: '0x1' },
    }),
    forward(backend, {
      name: 'eth_getCode',
      summary: 'Contract code; 0x for an account without any.',
      params: [account, atBlock],
      result: { name: 'code', schema: data },
      example: { params: ['0x000000000000000000000000000000000000dead', 'latest'], result: '0x' },
    }),
    forward(backend, {
      name: 'eth_getStorageAt',
      summary: 'A word of a contract’s storage.',
      params: [account, param('slot', storageSlot), atBlock],
      result: { name: 'word', schema: hash },
      example: {
        params: ['0x000000000000000000000000000000000000dead', '0x0', 'latest'],
        result: `0x${'0'.repeat(64)}`,
      },
    }),
  ];
}
