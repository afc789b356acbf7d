import { tokenOfAsset, type AddressBook } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Operation } from '@causeway/store';
import { encodeFunctionData, type Address, type Hex } from 'viem';

/** The one call that pays an operation on its destination chain. `value` in wei of the RPC. */
export interface Delivery {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}

/** Stage 5, pure: which action is due for an operation that may be paid? */
export function decideDelivery(operation: Operation, book: AddressBook): Delivery {
  return operation.direction === 'ETHEREUM_TO_PARTNER' ? mint(operation, book) : release(operation, book);
}

function mint({ originNonce, asset, recipient, outputAmount, id }: Operation, book: AddressBook): Delivery {
  return {
    to: book.partner.bridgeMint,
    data: encodeFunctionData({
      abi: bridgeMintAbi,
      functionName: 'mint',
      args: [numberOf(id, originNonce), tokenOfAsset(book, 'partner', asset), recipient, outputAmount],
    }),
    // Native XCN comes out of the relayer's float; the RPC counts it in 18 decimals like the amount.
    value: asset === 'XCN' ? outputAmount : 0n,
  };
}

function release(operation: Operation, book: AddressBook): Delivery {
  return { to: book.ethereum.bridgeLock, data: releaseCall(operation, book), value: 0n };
}

function releaseCall(
  { kind, asset, id, originNonce, recipient, outputAmount, fee }: Operation,
  book: AddressBook,
): Hex {
  const abi = bridgeLockAbi;
  if (kind === 'INTENT')
    return encodeFunctionData({ abi, functionName: 'releaseIntent', args: [id, recipient, outputAmount, fee] });
  const nonce = numberOf(id, originNonce);
  if (asset === 'ETH')
    return encodeFunctionData({ abi, functionName: 'releaseNative', args: [nonce, recipient, outputAmount, fee] });
  const token = tokenOfAsset(book, 'ethereum', asset);
  return encodeFunctionData({ abi, functionName: 'release', args: [nonce, token, recipient, outputAmount, fee] });
}

function numberOf(id: Hex, originNonce: bigint | null): bigint {
  if (originNonce === null) throw new Error(`Operation ${id} has no number of its origin contract`);
  return originNonce;
}
