import { EVMError, type AddPrecompile } from '@ethereumjs/evm';
import { createAddressFromString } from '@ethereumjs/util';

/**
 * The precompile that checks proofs of blobs (EIP-4844). There are no blobs on this chain, so no proof is ever right; EthereumJS' own, without a library
 * for such proofs, would break the EVM instead.
 */
export const POINT_EVALUATION: AddPrecompile = {
  address: createAddressFromString('0x000000000000000000000000000000000000000a'),
  function: ({ gasLimit }) => ({
    executionGasUsed: gasLimit,
    returnValue: new Uint8Array(0),
    exceptionError: new EVMError(EVMError.errorMessages.INVALID_PROOF),
  }),
};
