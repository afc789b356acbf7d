import { tokenOfAsset, type AddressBook } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Operation } from '@causeway/store';
import { encodeFunctionData, type Address, type Hex } from 'viem';

/** Gas that the contracts give a recipient of native coin (DELIVERY_GAS, 50,000), plus the 63rd part the EVM keeps. */
const RECIPIENT_GAS = 52_000n;
/**
 * Gas for crediting a refused delivery, doubled: three storage writes, two of them to new slots, and an event (22,100 +
 * 22,100 + 5,000 + 2,600, EIP-2929 and EIP-2200).
 */
const CREDIT_GAS = 100_000n;

/** The call that pays an operation on its destination chain. `value` in wei of the RPC. */
export interface Delivery {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}

/**
 * Encodes the delivery of an operation. Pure.
 *
 * @throws Error when the operation has no number of its origin contract.
 */
export function encodeDelivery(operation: Operation, book: AddressBook): Delivery {
  return operation.direction === 'ETHEREUM_TO_PARTNER' ? mint(operation, book) : release(operation, book);
}

/**
 * Computes the gas limit of a delivery. A recipient can distinguish an estimate from a block: it can be cheap in the
 * one and burn all its gas in the other, and a token can start to refuse in between. With this limit the call still
 * succeeds by crediting the recipient, instead of reverting and being paid for again. Unused gas costs nothing.
 *
 * @param estimate simulated gas of the call, including its margin.
 */
export function deliveryGasLimit(estimate: bigint): bigint {
  return estimate + RECIPIENT_GAS + CREDIT_GAS;
}

function mint({ originNonce, asset, recipient, outputAmount, id }: Operation, book: AddressBook): Delivery {
  return {
    to: book.partner.bridgeMint,
    data: encodeFunctionData({
      abi: bridgeMintAbi,
      functionName: 'mint',
      args: [numberOf(id, originNonce), tokenOfAsset(book, 'partner', asset), recipient, outputAmount],
    }),
    // Native XCN comes from the relayer's float. The RPC counts it in 18 decimals, like the amount.
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
