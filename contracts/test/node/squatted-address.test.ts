import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  numberToHex,
  pad,
  size,
  stringToHex,
  type Address,
  type Hex,
} from 'viem';
import { bridgedTokenAbi, bridgeFactoryAbi } from '../../generated/abi.js';
import { deployBridge } from '../../deploy/index.js';
import { ensureFactory } from '../../deploy/factory.js';
import { planDeployment } from '../../deploy/plan-deployment.js';
import { sendAndWait } from '../../deploy/chains.js';
import { deployer, localConfig, startChains, type TestChains, type TestTarget } from './fixtures.js';

// A thief with the deployer's key deploys first, at an address of the deployment. The contract has the right code, but
// its constructor gave the thief a balance.

const THIEF: Address = '0x00000000000000000000000000000000000000ab';
const LOOT = 10n ** 24n;
/** Where BridgedToken keeps its balances: after the variables of ERC20, EIP712 and Nonces, its successor and supply. */
const BALANCES_SLOT = 10n;

let chains: TestChains;
let ethereum: TestTarget;
let partner: TestTarget;

beforeAll(async () => {
  chains = await startChains();
  ({ ethereum, partner } = chains);
});

afterAll(async () => chains?.stop());

/** Creation code that writes storage and deploys this code. */
function encodeCreation(code: Hex, storage: readonly (readonly [slot: Hex, value: Hex])[]): Hex {
  const writes = storage.map(([slot, value]) => concatHex(['0x7f', value, '0x7f', slot, '0x55']));
  const at = writes.length * 67 + 11;
  // PUSH2 size DUP1 PUSH2 offset PUSH0 CODECOPY PUSH0 RETURN
  const leave = concatHex(['0x61', numberToHex(size(code), { size: 2 }), '0x8061', numberToHex(at, { size: 2 })]);
  return concatHex([...writes, leave, '0x5f395ff3', code]);
}

describe('deployBridge', () => {
  it('refuses a contract with the right code from another constructor', async () => {
    const config = localConfig();
    await chains.snapshot();
    const book = await deployBridge({ config, ethereum, partner });
    const code = await partner.client.getCode({ address: book.partner.tokens.USDC });
    await chains.restore();

    const factory = await ensureFactory(partner, undefined, () => undefined);
    const side = { chainId: 31_337, deployer: deployer.address, factory };
    const { USDC } = planDeployment(config, side, { ...side, chainId: 8_901 }).bridgedTokens;
    const balance = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [THIEF, BALANCES_SLOT]));
    const symbol = pad(stringToHex('USDC'), { dir: 'right', size: 31 });
    const creation = encodeCreation(code!, [
      [balance, numberToHex(LOOT, { size: 32 })],
      [numberToHex(4, { size: 32 }), concatHex([symbol, '0x08'])],
    ]);
    const data = encodeFunctionData({ abi: bridgeFactoryAbi, functionName: 'deploy', args: [USDC.salt, creation] });
    await sendAndWait(partner, 'Taking the address', { to: factory, data });
    const token = { address: USDC.address, abi: bridgedTokenAbi } as const;
    expect(await partner.client.readContract({ ...token, functionName: 'balanceOf', args: [THIEF] })).toBe(LOOT);

    await expect(deployBridge({ config, ethereum, partner })).rejects.toThrow(/BridgedUSDC.* was created by another/);
  });
});
