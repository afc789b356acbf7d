import type { GenesisInput } from '../blocks/genesis.js';
import predeploys from './predeploys.json' with { type: 'json' };

/**
 * The contracts that tools expect at the same address on every chain, as accounts of a genesis, with the runtime code
 * that they have on Ethereum:
 *
 * - CREATE2 deployer (`forge script` with a salt) and Permit2: from the library Preinstalls of
 *   @eth-optimism/contracts-bedrock 0.17.3 (MIT). Permit2 (MIT) keeps the domain separator of chain 1 in its code and
 *   computes its own on other chains.
 * - Multicall3 (MIT): the same source. Its code hash is 0xd5c15df6...0891, as on Ethereum.
 * - EntryPoint 0.6, 0.7 and 0.8, each with its SenderCreator (GPL-3.0): the code that the creation code of
 *   @account-abstraction/contracts 0.6.0, 0.7.0 and 0.8.0 leaves. That creation code and the salts of Ethereum's
 *   deployments give these addresses. In 0.6 and 0.7 the reentrancy guard is unset in storage, which only makes the
 *   first call dearer. 0.8 keeps the domain separator of chain 1 in its code and computes its own on other chains.
 * - ERC-1820 registry (CC0-1.0): what the transaction without a key in @openzeppelin/test-helpers 0.5.16 leaves.
 * - CreateX (AGPL-3.0): what the signed transaction in @nomicfoundation/ignition-core 3.1.9 leaves.
 * - Safe singleton factory (MIT): what the transaction for chain 1 in @safe-global/safe-singleton-factory 2.0.0 leaves.
 *   Its code is that of the CREATE2 deployer.
 */
export const PREDEPLOYS: NonNullable<GenesisInput['alloc']> = Object.fromEntries(
  Object.values(predeploys).map(({ address, nonce, code }) => [address, { nonce, code }]),
);
