import { WEI_PER_UNIT, type CallRequest, type PartnerChain } from '@causeway/partner-chain';
import { hexToBytes, pad, toHex, type Hex } from 'viem';
import { requireBlockNumber, type BlockParam } from './block-handlers.js';
import { toCallRequest, type RpcBlockOverrides, type RpcCall, type RpcStateOverrides } from './call-requests.js';
import { hex, quantity } from './format-transactions.js';

/** Methods about accounts, storage and calls. The state at an unknown block is NOT_FOUND. */
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
    eth_call: async (...params: CallParams) => hex(await chain.run('call', ...readCall(chain, params))),
    eth_estimateGas: async (...params: CallParams) =>
      quantity(await chain.run('estimateGas', ...readCall(chain, params))),
    eth_getProof: async (address: Hex, slots: readonly Hex[], param: BlockParam = 'latest') => {
      const request = { address: hexToBytes(address), slots: slots.map((slot) => hexToBytes(slot)) };
      const proof = await chain.run('proveAccount', requireBlockNumber(chain, param), request);
      return {
        address,
        balance: quantity(proof.balance * WEI_PER_UNIT),
        nonce: quantity(proof.nonce),
        codeHash: hex(proof.codeHash),
        storageHash: hex(proof.storageHash),
        accountProof: proof.accountProof.map(hex),
        storageProof: proof.storageProof.map(({ value, proof: nodes }, index) => ({
          key: slots[index],
          value: value.length === 0 ? '0x0' : quantity(BigInt(hex(value))),
          proof: nodes.map(hex),
        })),
      };
    },
  };
}

type CallParams = [RpcCall, BlockParam?, RpcStateOverrides?, RpcBlockOverrides?];

function readCall(chain: PartnerChain, [call, param = 'latest', state, block]: CallParams): [number, CallRequest] {
  return [requireBlockNumber(chain, param), toCallRequest(call, state, block)];
}
