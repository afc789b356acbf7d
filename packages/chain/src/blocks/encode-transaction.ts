import { concatHex, toRlp, type Hex } from 'viem';
import { UnsupportedTransactionError } from '../rpc/chain-error.js';
import { rlpInteger } from './rlp-integer.js';
import type { RpcTransaction } from './rpc-shapes.js';

type Field = Hex | readonly Field[];

/**
 * A signed transaction as it stands in a block, made anew from the fields a node tells: what the transactions root and its
 * own hash commit to. Legacy (with and without EIP-155), EIP-2930, 1559, 4844 (without blobs) and 7702.
 *
 * A field that is missing is encoded as zero: the root then differs, unless it is zero.
 *
 * @throws UnsupportedTransactionError for other types.
 */
export function encodeTransaction(transaction: RpcTransaction): Hex {
  const { to, input, accessList, authorizationList, blobVersionedHashes, yParity, v } = transaction;
  const integer = rlpInteger;
  const call: Field[] = [integer(transaction.gas), to ?? '0x', integer(transaction.value), input];
  const access: Field = (accessList ?? []).map(({ address, storageKeys }) => [address, storageKeys]);
  const signature: Field[] = [integer(yParity ?? v), integer(transaction.r), integer(transaction.s)];
  const start: Field[] = [integer(transaction.chainId), integer(transaction.nonce)];
  const fees: Field[] = [integer(transaction.maxPriorityFeePerGas), integer(transaction.maxFeePerGas)];
  const type = Number(transaction.type ?? '0x0');
  switch (type) {
    case 0:
      return rlp([
        integer(transaction.nonce),
        integer(transaction.gasPrice),
        ...call,
        integer(v),
        integer(transaction.r),
        integer(transaction.s),
      ]);
    case 1:
      return concatHex(['0x01', rlp([...start, integer(transaction.gasPrice), ...call, access, ...signature])]);
    case 2:
      return concatHex(['0x02', rlp([...start, ...fees, ...call, access, ...signature])]);
    case 3: {
      const blobs: Field[] = [integer(transaction.maxFeePerBlobGas), blobVersionedHashes ?? []];
      return concatHex(['0x03', rlp([...start, ...fees, ...call, access, ...blobs, ...signature])]);
    }
    case 4: {
      const delegations: Field = (authorizationList ?? []).map((one) => [
        integer(one.chainId),
        one.address,
        integer(one.nonce),
        integer(one.yParity),
        integer(one.r),
        integer(one.s),
      ]);
      return concatHex(['0x04', rlp([...start, ...fees, ...call, access, delegations, ...signature])]);
    }
    default:
      throw new UnsupportedTransactionError(`0x${type.toString(16)}`, transaction.hash);
  }
}

function rlp(fields: readonly Field[]): Hex {
  return toRlp(fields as Parameters<typeof toRlp>[0], 'hex');
}
