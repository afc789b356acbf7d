import { PartnerChainError, WEI_PER_UNIT, type PartnerChain } from '@causeway/partner-chain';
import { hexToBytes, pad, toHex, type Hex } from 'viem';
import type { BlockParam } from '../block-param.js';
import { findBlockNumber } from '../find-block.js';
import { hex } from '../format/hex.js';
import { quantity } from '../format/quantity.js';
import { toCallRequest, type RpcCall } from '../to-call-request.js';
import type { Handlers } from './handlers.js';

/** Accounts, storage and calls. State at a block that is not there is NOT_FOUND. */
export function stateHandlers(chain: PartnerChain): Handlers {
  const numberOf = (param: BlockParam): number => {
    const blockNumber = findBlockNumber(chain, param);
    if (blockNumber === null) throw new PartnerChainError('NOT_FOUND', `block ${nameOf(param)} is not there`);
    return blockNumber;
  };

  return {
    eth_getBalance: (address: Hex, param: BlockParam = 'latest') => {
      const account = chain.reader.state(numberOf(param)).account(hexToBytes(address));
      // 8 decimals inside, 18 outside (spec "Chain facts").
      return quantity((account?.balance ?? 0n) * WEI_PER_UNIT);
    },
    eth_getTransactionCount: async (address: Hex, param: BlockParam = 'latest') => {
      if (param === 'pending') return quantity(await chain.pendingNonce(hexToBytes(address)));
      return quantity(chain.reader.state(numberOf(param)).account(hexToBytes(address))?.nonce ?? 0n);
    },
    eth_getCode: (address: Hex, param: BlockParam = 'latest') => {
      const state = chain.reader.state(numberOf(param));
      const account = state.account(hexToBytes(address));
      return account?.isContract() === true ? hex(state.code(account.codeHash)) : '0x';
    },
    eth_getStorageAt: (address: Hex, slot: Hex, param: BlockParam = 'latest') => {
      const key = hexToBytes(toHex(BigInt(slot), { size: 32 }));
      return pad(hex(chain.reader.state(numberOf(param)).slot(hexToBytes(address), key)), { size: 32 });
    },
    eth_call: async (call: RpcCall, param: BlockParam = 'latest') => {
      const blockNumber = numberOf(param);
      return hex(await chain.call(blockNumber, toCallRequest(call)));
    },
    eth_estimateGas: async (call: RpcCall, param: BlockParam = 'latest') => {
      const blockNumber = numberOf(param);
      return quantity(await chain.estimateGas(blockNumber, toCallRequest(call)));
    },
  };
}

function nameOf(param: BlockParam): string {
  if (typeof param === 'string') return param;
  return 'blockHash' in param ? param.blockHash : param.blockNumber;
}
