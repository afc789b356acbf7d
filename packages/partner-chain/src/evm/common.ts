import { createCustomCommon, Hardfork, Mainnet, type Common } from '@ethereumjs/common';
import { paramsEVM } from '@ethereumjs/evm';
import { paramsTx } from '@ethereumjs/tx';
import { concatBytes } from '@ethereumjs/util';
import secp256k1 from 'secp256k1';
import { keccak256 } from '../keccak256.js';

/**
 * Creates the chain's rules, which never change: Ethereum's Osaka with the chain's own chain id, and native signature
 * recovery and hashing.
 *
 * @param writesPayments whether each payment of coin leaves a log (EIP-7708), for simulations that show them.
 */
export function createCommon(chainId: number, writesPayments = false): Common {
  const common = createCustomCommon({ chainId, name: `partner-${chainId}` }, Mainnet, {
    hardfork: Hardfork.Osaka,
    eips: writesPayments ? [7708] : [],
    customCrypto: { ecrecover: recoverPublicKey, keccak256 },
  });
  common.updateParams(paramsTx);
  common.updateParams(paramsEVM);
  // EthereumJS copies the rules for every transaction it decodes, which takes longer than recovering the sender.
  common.copy = () => common;
  common.updateParams = () => undefined;
  return common;
}

/**
 * Recovers the signer's public key with the native secp256k1, ten times as fast as in JavaScript. It replaces the
 * function of EthereumJS through `customCrypto.ecrecover`.
 *
 * @returns the 64 bytes of the key, without the prefix.
 * @throws Error if no key can be recovered from the signature.
 */
function recoverPublicKey(
  messageHash: Uint8Array,
  v: bigint,
  r: Uint8Array,
  s: Uint8Array,
  chainId?: bigint,
): Uint8Array {
  const recovery = recoveryBit(v, chainId);
  const signature = concatBytes(leftPad(r), leftPad(s));
  return secp256k1.ecdsaRecover(signature, recovery, messageHash, false).slice(1);
}

/** Returns 0 or 1 from v: the bit itself (typed transactions), 27 or 28, or EIP-155's `chainId * 2 + 35` or 36. */
function recoveryBit(v: bigint, chainId: bigint | undefined): 0 | 1 {
  const bit = v === 0n || v === 1n ? v : chainId === undefined ? v - 27n : v - (chainId * 2n + 35n);
  if (bit !== 0n && bit !== 1n) throw new Error(`v ${v} is not valid in a signature`);
  return bit === 0n ? 0 : 1;
}

function leftPad(bytes: Uint8Array): Uint8Array {
  if (bytes.length > 32) throw new Error('a signature part is longer than 32 bytes');
  const padded = new Uint8Array(32);
  padded.set(bytes, 32 - bytes.length);
  return padded;
}
