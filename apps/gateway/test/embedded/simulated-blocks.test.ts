import { testAccount, type GatewayProcess } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pad, type Address, type Hex } from 'viem';
import { startEmbeddedGateway } from '../setup/gateway.js';
import { rpc } from '../setup/rpc.js';

// Regression tests for bugs found by the suite of ethereum/execution-apis (docs/contribute/testing.md).

interface Simulated {
  readonly gasLimit: Hex;
  readonly miner: Address;
  readonly calls: readonly { readonly returnData: Hex; readonly gasUsed: Hex; readonly error?: object }[];
  readonly transactions: readonly object[];
}

const from = testAccount(0).address;
const contract: Address = `0x${'c0'.repeat(20)}`;
const recipient: Address = `0x${'fe'.repeat(20)}`;
/** Returns the block's gas limit and coinbase. */
const BLOCK_READER: Hex = '0x455f524160205260405ff3';
/** Reverts with the word 42. */
const REVERTING: Hex = '0x602a5f5260205ffd';
/** Returns the balance of the block's coinbase. */
const FEE_READER: Hex = '0x41315f5260205ff3';

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startEmbeddedGateway();
});
afterAll(() => gateway?.stop());

const simulate = async (...blockStateCalls: readonly object[]) =>
  (await rpc(gateway.httpUrl, 'eth_simulateV1', [
    { blockStateCalls, validation: true, returnFullTransactions: true },
    'latest',
  ])) as readonly Simulated[];

describe('eth_simulateV1', () => {
  it('keeps the gas limit and the fee recipient of a block for later blocks, even across a gap', async () => {
    const call = { from, to: contract, gas: '0x10000', maxFeePerGas: '0x3b9aca00' };
    const blocks = await simulate(
      {
        stateOverrides: { [contract]: { code: BLOCK_READER } },
        blockOverrides: { number: '0x3', gasLimit: '0xf4240', feeRecipient: recipient },
      },
      { blockOverrides: { number: '0x5' }, calls: [call] },
      { blockOverrides: { gasLimit: '0x1e8480' } },
      {},
    );
    expect(blocks.slice(2).map(({ gasLimit }) => Number(gasLimit))).toEqual([1e6, 1e6, 1e6, 2e6, 2e6]);
    expect(blocks.slice(2).every(({ miner }) => miner === recipient)).toBe(true);
    expect(blocks[4]?.calls[0]?.returnData).toBe(`${pad('0xf4240')}${pad(recipient).slice(2)}`);
  });

  it('returns revert bytes only in the error', async () => {
    const [block] = await simulate({
      stateOverrides: { [contract]: { code: REVERTING } },
      calls: [{ from, to: contract, gas: '0x10000', maxFeePerGas: '0x3b9aca00' }],
    });
    expect(block?.calls).toMatchObject([
      { status: '0x0', returnData: '0x', error: { code: -32000, message: 'execution reverted', data: pad('0x2a') } },
    ]);
  });

  it('pays no tip for a call with only a fee cap', async () => {
    const call = { from, to: contract, gas: '0x10000', maxFeePerGas: '0x77359400' };
    const [block] = await simulate({
      stateOverrides: { [contract]: { code: FEE_READER } },
      blockOverrides: { feeRecipient: recipient },
      calls: [call, { ...call, maxPriorityFeePerGas: '0x3b9aca00' }, call],
    });
    expect(block?.transactions).toMatchObject([
      { gasPrice: '0x1dcd6500', maxPriorityFeePerGas: '0x0' },
      { gasPrice: '0x59682f00', maxPriorityFeePerGas: '0x3b9aca00' },
      { gasPrice: '0x1dcd6500', maxPriorityFeePerGas: '0x0' },
    ]);
    const [first, second] = (block?.calls ?? []).map(({ gasUsed }) => BigInt(gasUsed));
    const feesInWei = first! * 500_000_000n + second! * 1_500_000_000n;
    const shown = BigInt(block?.calls[2]?.returnData ?? 0) * 10n ** 10n;
    // Each fee is rounded up to a whole unit.
    expect(shown - feesInWei).toBeLessThan(2n * 10n ** 10n);
    expect(shown).toBeGreaterThanOrEqual(feesInWei);
  });
});
