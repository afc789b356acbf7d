import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPublicClient, encodeFunctionData, http, parseEther, zeroAddress, type Address } from 'viem';
import { bridgeMintAbi } from '../../generated/abi.js';
import { deployBridge } from '../../deploy/index.js';
import { localConfig, relayer, startChains, makeTarget, type TestChains, type TestTarget } from './fixtures.js';

/** A precompiled contract: it has no code, uses all the gas and refuses. */
const BLAKE2: Address = '0x0000000000000000000000000000000000000009';

let chains: TestChains;
let partner: TestTarget;
let bridgeMint: Address;

beforeAll(async () => {
  chains = await startChains();
  partner = chains.partner;
  const book = await deployBridge({ config: localConfig(), ethereum: chains.ethereum, partner });
  bridgeMint = book.partner.bridgeMint;
});

afterAll(async () => chains?.stop());

const value = parseEther('1');
const mint = (number: bigint) =>
  encodeFunctionData({ abi: bridgeMintAbi, functionName: 'mint', args: [number, zeroAddress, BLAKE2, value] });

describe('a delivery of native XCN', () => {
  it('fails with too little gas and creates no credit, even for an account that has one', async () => {
    // A further credit then costs the least possible gas.
    const { wallet } = makeTarget(chains.anvils[1], relayer);
    const hash = await wallet.sendTransaction({ to: bridgeMint, data: mint(1n), value, gas: 1_000_000n });
    expect((await partner.client.waitForTransactionReceipt({ hash })).status).toBe('success');
    const of = { address: bridgeMint, abi: bridgeMintAbi } as const;
    expect(await partner.client.readContract({ ...of, functionName: 'claimable', args: [zeroAddress, BLAKE2] })).toBe(
      value,
    );
    const share = await partner.client.readContract({ ...of, functionName: 'NEW_ACCOUNT_GAS' });
    // A failed call is not retried.
    const url = chains.anvils[1].chain.rpcUrls.default.http[0];
    const once = createPublicClient({ transport: http(url, { retryCount: 0 }) });
    const credits = async (gas: bigint) =>
      once.call({ account: relayer, to: bridgeMint, data: mint(2n), value, gas }).then(
        () => true,
        () => false,
      );
    expect(await credits(share + 200_000n)).toBe(true);
    const enough: string[] = [];
    for (let gas = 50_000n; gas < share + 40_000n; gas += 2_000n) if (await credits(gas)) enough.push(gas.toString());
    expect(enough).toEqual([]);
  });
});
