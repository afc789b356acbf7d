import { PartnerChainError, WEI_PER_UNIT, type CallRequest, type PartnerChain } from '@causeway/partner-chain';
import { hexToBytes, pad, toHex, zeroAddress, type Hex } from 'viem';
import { findBlockNumber, type BlockParam } from './block-handlers.js';
import { hex, quantity } from './format-transactions.js';

/** Methods about accounts, storage and calls. The state at an unknown block is NOT_FOUND. */
export function stateHandlers(chain: PartnerChain) {
  const requireBlockNumber = (param: BlockParam): number => {
    const blockNumber = findBlockNumber(chain, param);
    if (blockNumber === null) throw new PartnerChainError('NOT_FOUND', `block ${nameBlock(param)} is not there`);
    return blockNumber;
  };

  return {
    eth_getBalance: (address: Hex, param: BlockParam = 'latest') => {
      const account = chain.reader.state(requireBlockNumber(param)).account(hexToBytes(address));
      // 8 decimals inside, 18 outside (spec "Chain facts").
      return quantity((account?.balance ?? 0n) * WEI_PER_UNIT);
    },
    eth_getTransactionCount: async (address: Hex, param: BlockParam = 'latest') => {
      if (param === 'pending') return quantity(await chain.pendingNonce(hexToBytes(address)));
      return quantity(chain.reader.state(requireBlockNumber(param)).account(hexToBytes(address))?.nonce ?? 0n);
    },
    eth_getCode: (address: Hex, param: BlockParam = 'latest') => {
      const state = chain.reader.state(requireBlockNumber(param));
      const account = state.account(hexToBytes(address));
      return account?.isContract() === true ? hex(state.code(account.codeHash)) : '0x';
    },
    eth_getStorageAt: (address: Hex, slot: Hex, param: BlockParam = 'latest') => {
      const key = hexToBytes(toHex(BigInt(slot), { size: 32 }));
      return pad(hex(chain.reader.state(requireBlockNumber(param)).slot(hexToBytes(address), key)), { size: 32 });
    },
    eth_call: async (call: RpcCall, param: BlockParam = 'latest') =>
      hex(await chain.run('call', requireBlockNumber(param), toCallRequest(call))),
    eth_estimateGas: async (call: RpcCall, param: BlockParam = 'latest') =>
      quantity(await chain.run('estimateGas', requireBlockNumber(param), toCallRequest(call))),
  };
}

function nameBlock(param: BlockParam): string {
  if (typeof param === 'string') return param;
  return 'blockHash' in param ? param.blockHash : param.blockNumber;
}

/** The request of eth_call and eth_estimateGas: a transaction whose fields are all optional. */
interface RpcCall {
  readonly from?: Hex;
  readonly to?: Hex | null;
  readonly gas?: Hex;
  readonly gasPrice?: Hex;
  readonly maxFeePerGas?: Hex;
  readonly value?: Hex;
  readonly input?: Hex;
  readonly data?: Hex;
  readonly accessList?: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[];
  readonly authorizationList?: NonNullable<CallRequest['authorizationList']>;
}

function toCallRequest(call: RpcCall): CallRequest {
  return {
    from: call.from ?? zeroAddress,
    to: call.to ?? null,
    value: BigInt(call.value ?? 0),
    data: call.input ?? call.data ?? '0x',
    gas: call.gas === undefined ? null : BigInt(call.gas),
    gasPrice: BigInt(call.gasPrice ?? call.maxFeePerGas ?? 0),
    accessList: call.accessList ?? [],
    authorizationList: call.authorizationList ?? [],
  };
}
