import { numberToHex } from 'viem';
import type { GenesisInput } from '../blocks/genesis.js';
import { WEI_PER_UNIT } from '../units.js';
import predeploys from './predeploys.json' with { type: 'json' };

/** Code in Multicall3 after the check of getEthBalance's argument: PUSH20 mask, AND, BALANCE, SWAP1, JUMP. */
const BALANCE_IN_UNITS = `73${'ff'.repeat(20)}16319056`;

/** BALANCE, PUSH5 10^10, MUL, SWAP1, JUMP, padded with INVALID so that the following code keeps its offsets. */
const BALANCE_IN_WEI = `3164${numberToHex(WEI_PER_UNIT, { size: 5 }).slice(2)}029056${'fe'.repeat(15)}`;

/**
 * The contracts that tools expect at the same address on every chain, as genesis accounts. All except Multicall3 have
 * the same runtime code as on Ethereum:
 *
 * - CREATE2 deployer (`forge script` with a salt) and Permit2: from the library Preinstalls of
 *   @eth-optimism/contracts-bedrock 0.17.3 (MIT). Permit2 (MIT) keeps the domain separator of chain 1 in its code and
 *   computes its own on other chains.
 * - Multicall3 (MIT): the same source, whose code hash is 0xd5c15df6...0891, as on Ethereum. Here its getEthBalance
 *   returns wei, as eth_getBalance does, because clients read balances through it. Its other functions are unchanged,
 *   so the values of aggregate3Value are units of 8 decimals, as in all code, and getBasefee returns the base fee of
 *   the EVM, which is 0 of these units.
 * - EntryPoint 0.6, 0.7 and 0.8, each with its SenderCreator (GPL-3.0): the code that the creation code of
 *   @account-abstraction/contracts 0.6.0, 0.7.0 and 0.8.0 leaves. That creation code and the salts of Ethereum's
 *   deployments give these addresses. In 0.6 and 0.7 the reentrancy guard is unset in storage, which only makes the
 *   first call more expensive. 0.8 keeps the domain separator of chain 1 in its code and computes its own on other
 *   chains.
 * - ERC-1820 registry (CC0-1.0): the code that the transaction without a key in @openzeppelin/test-helpers 0.5.16
 *   leaves.
 * - CreateX (AGPL-3.0): the code that the signed transaction in @nomicfoundation/ignition-core 3.1.9 leaves.
 * - Safe singleton factory (MIT): the code that the transaction for chain 1 in @safe-global/safe-singleton-factory
 *   2.0.0 leaves. It equals that of the CREATE2 deployer.
 */
export const PREDEPLOYS: NonNullable<GenesisInput['alloc']> = Object.fromEntries(
  Object.values(predeploys).map(({ address, nonce, code }) => [
    address,
    { nonce, code: address === predeploys.multicall3.address ? code.replace(BALANCE_IN_UNITS, BALANCE_IN_WEI) : code },
  ]),
);
