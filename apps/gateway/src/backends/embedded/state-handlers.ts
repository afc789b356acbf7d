import { WEI_PER_UNIT, type PartnerChain } from '@causeway/partner-chain';
import { hexToBytes, pad, toHex, type Hex } from 'viem';
import { requireBlockNumber, type BlockParam } from './block-handlers.js';
import { hex, quantity } from './format-transactions.js';

/** Methods about accounts and storage. The state at an unknown block is NOT_FOUND. */
export function stateHandlers(chain: PartnerChain) {
  return {
    eth_getBalance: (address: Hex, param: BlockParam = 'latest') => {
      const account = chain.reader.state(requireBlockNumber(chain, param)).account(hexToBytes(address));
      // 8 decimals inside, 18 outside (spec "Chain facts").
      return quantity((account?.balance ?? 0n) * WEI_PER_UNIT);
    },
    eth_getTransactionCount: async (address: Hex, param: BlockParam = 'latest') => {
      if (param === 'pending') return quantity(await chain.pendingNonce(hexToBytes(address)));
      return quantity(chain.reader.state(requireBlockNumber(chain, param)).account(hexToBytes(address))?.nonce ?? 0n);
    },
    eth_getCode: (address: Hex, param: BlockParam = 'latest') => {
      const state = chain.reader.state(requireBlockNumber(chain, param));
      const account = state.account(hexToBytes(address));
      return account?.isContract() === true ? hex(state.code(account.codeHash)) : '0x';
    },
    eth_getStorageAt: (address: Hex, slot: Hex, param: BlockParam = 'latest') => {
      const key = hexToBytes(toHex(BigInt(slot), { size: 32 }));
      return pad(hex(chain.reader.state(requireBlockNumber(chain, param)).slot(hexToBytes(address), key)), {
        size: 32,
      });
    },
  };
}
