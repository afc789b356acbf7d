import type { GenesisInput } from '../blocks/genesis.js';
import predeploys from './predeploys.json' with { type: 'json' };

/**
 * The contracts that tools expect at the same address on every chain, as accounts of a genesis:
 *
 * - CREATE2 deployer (`forge script` with a salt) and Permit2: runtime code as on Ethereum, from the library
 *   Preinstalls of @eth-optimism/contracts-bedrock 0.17.3 (MIT). Permit2 (MIT) keeps the domain separator of chain 1
 *   in its code and computes its own on other chains.
 * - Multicall3 (MIT): the same source. Its code hash is 0xd5c15df6...0891, as on Ethereum.
 * - EntryPoint 0.7 with its SenderCreator (GPL-3.0): the code that the creation code of @account-abstraction/contracts
 *   0.7.0 leaves. That creation code and the salt of Ethereum's deployment give this address. The reentrancy guard is
 *   unset in storage, which only makes the first call dearer.
 */
export const PREDEPLOYS: NonNullable<GenesisInput['alloc']> = Object.fromEntries(
  Object.values(predeploys).map(({ address, nonce, code }) => [address, { nonce, code }]),
);
