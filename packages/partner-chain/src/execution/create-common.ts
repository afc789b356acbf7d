import { createCustomCommon, Hardfork, Mainnet, type Common } from '@ethereumjs/common';
import { paramsEVM } from '@ethereumjs/evm';
import { paramsTx } from '@ethereumjs/tx';
import { keccak256 } from '../hash/keccak256.js';
import { recoverPublicKey } from '../transaction/recover-public-key.js';

/** The chain's rules: Ethereum's Osaka under its own chain id, with native signature recovery and hashing. They never change. */
export function createCommon(chainId: number): Common {
  const common = createCustomCommon({ chainId, name: `partner-${chainId}` }, Mainnet, {
    hardfork: Hardfork.Osaka,
    customCrypto: { ecrecover: recoverPublicKey, keccak256 },
  });
  common.updateParams(paramsTx);
  common.updateParams(paramsEVM);
  // Every transaction that is read would copy the rules and put the same numbers into them again, which takes longer than to recover its sender.
  common.copy = () => common;
  common.updateParams = () => undefined;
  return common;
}
