import { createCustomCommon, Hardfork, Mainnet, type Common } from '@ethereumjs/common';
import { recoverPublicKey } from '../transaction/recover-public-key.js';

/** The chain's rules: Ethereum's Osaka under its own chain id, with native signature recovery. */
export function createCommon(chainId: number): Common {
  return createCustomCommon({ chainId, name: `partner-${chainId}` }, Mainnet, {
    hardfork: Hardfork.Osaka,
    customCrypto: { ecrecover: recoverPublicKey },
  });
}
