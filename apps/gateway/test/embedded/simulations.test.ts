import { definePartnerChain } from '@causeway/protocol';
import { testKey, type GatewayProcess } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createWalletClient,
  encodeFunctionData,
  http,
  keccak256,
  pad,
  parseAbi,
  publicActions,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { startEmbeddedGateway } from '../setup/gateway.js';
import { readError, rpc } from '../setup/rpc.js';

const ONE = 10n ** 18n;
const account = privateKeyToAccount(testKey(0));
const poor: Address = `0x${'50'.repeat(20)}`;
const fresh: Address = `0x${'f5'.repeat(20)}`;
/** Returns slot 0. */
const READER: Hex = '0x5f545f5260205ff3';
const reader: Address = `0x${'5e'.repeat(20)}`;
/** Emits a Transfer event of 7 from the caller to the first word of the input. */
const TOKEN: Hex = '0x60075f525f35337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60205fa300';

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startEmbeddedGateway();
});
afterAll(() => gateway?.stop());

const makeClient = () => {
  const chain = definePartnerChain({ environment: 'testnet', rpcUrl: gateway.httpUrl });
  return createWalletClient({ account, chain, transport: http() }).extend(publicActions);
};

describe('viem', () => {
  it('overrides the state and the block of a call and of an estimate', async () => {
    const client = makeClient();
    const stateOverride = [{ address: reader, code: READER, stateDiff: [{ slot: pad('0x0'), value: pad('0x2a') }] }];
    expect((await client.call({ to: reader, stateOverride })).data).toBe(pad('0x2a'));
    const rich = [{ address: poor, balance: 5n * ONE }];
    expect(await client.estimateGas({ account: poor, to: account.address, value: ONE, stateOverride: rich })).toBe(
      21_000n,
    );
    await expect(client.estimateGas({ account: poor, to: account.address, value: ONE })).rejects.toThrow(
      /exceeds the balance|insufficient funds/,
    );
  });

  it('simulates blocks and reports payments', async () => {
    const client = makeClient();
    const [first, second] = await client.simulateBlocks({
      blocks: [
        {
          calls: [{ account: account.address, to: fresh, value: ONE }],
          stateOverrides: [{ address: reader, code: READER }],
        },
        {
          blockOverrides: { time: 4_000_000_000n },
          calls: [{ account: fresh, to: account.address, value: ONE / 2n }, { to: reader }],
        },
      ],
      traceTransfers: true,
    });
    expect(first?.calls[0]).toMatchObject({ status: 'success', gasUsed: 587_000n });
    expect(first?.calls[0]?.logs).toMatchObject([{ address: `0x${'ee'.repeat(20)}`, data: pad('0xde0b6b3a7640000') }]);
    expect(second?.timestamp).toBe(4_000_000_000n);
    expect(second?.calls.map(({ status, data }) => [status, data])).toEqual([
      ['success', '0x'],
      ['success', pad('0x0')],
    ]);
    expect(await client.getBalance({ address: fresh })).toBe(0n);
  });

  it('simulates calls and lists asset changes', async () => {
    const client = makeClient();
    const { results, assetChanges } = await client.simulateCalls({
      account,
      calls: [{ to: poor, value: ONE }],
      traceAssetChanges: true,
    });
    expect(results[0]?.status).toBe('success');
    // viem reads the balance inside the EVM, where the coin has 8 decimals.
    expect(assetChanges).toMatchObject([{ token: { symbol: 'ETH' }, value: { diff: -ONE / 10n ** 10n } }]);
  });

  it('creates an access list', async () => {
    const client = makeClient();
    const { accessList, gasUsed } = await client.createAccessList({ account, data: '0x00' });
    expect(accessList).toHaveLength(1);
    expect(gasUsed).toBeGreaterThan(53_000n);
  });

  it('reads a proof whose root is the block’s', async () => {
    const client = makeClient();
    const block = await client.getBlock();
    const proof = await client.getProof({ address: account.address, storageKeys: [], blockNumber: block.number });
    expect(keccak256(proof.accountProof[0]!)).toBe(block.stateRoot);
    expect(proof.balance).toBe(await client.getBalance({ address: account.address, blockNumber: block.number }));
  });

  it('sends a transaction and waits for its receipt in one request', async () => {
    const client = makeClient();
    const request = await client.prepareTransactionRequest({ to: poor, value: ONE });
    const serializedTransaction = await client.signTransaction(request);
    const receipt = await client.sendRawTransactionSync({ serializedTransaction });
    expect(receipt).toMatchObject({ status: 'success', transactionHash: keccak256(serializedTransaction) });
  });
});

describe('eth_sendRawTransactionSync', () => {
  it('returns -32002 with the hash when no block comes in time, and the transaction stays pending', async () => {
    const client = makeClient();
    const nonce = (await client.getTransactionCount({ address: account.address })) + 1;
    const request = await client.prepareTransactionRequest({ to: poor, value: ONE, nonce, gas: 21_000n });
    const raw = await client.signTransaction(request);
    const error = await readError(gateway.httpUrl, 'eth_sendRawTransactionSync', [raw, 50]);
    expect(error).toMatchObject({ code: -32002, data: keccak256(raw) });
    expect(await rpc(gateway.httpUrl, 'eth_getTransactionByHash', [keccak256(raw)])).toMatchObject({ blockHash: null });
  });
});

describe('eth_call', () => {
  it('fails like the transaction for lack of the gas for a new account', async () => {
    const call = { from: account.address, to: fresh, value: '0xde0b6b3a7640000', gas: '0x5208' };
    const error = await readError(gateway.httpUrl, 'eth_call', [call, 'latest']);
    expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('out of gas') });
    expect(await rpc(gateway.httpUrl, 'eth_call', [{ ...call, gas: '0x8f4f8' }, 'latest'])).toBe('0x');
  });
});

describe('traces', () => {
  it('of a payment: calls and state agree with its receipt', async () => {
    const client = makeClient();
    const request = { to: `0x${'7e'.repeat(20)}`, value: ONE } as const;
    const hash = await client.sendTransaction(request);
    const receipt = await client.waitForTransactionReceipt({ hash });
    const trace = async (method: string, params: readonly unknown[]) => rpc(gateway.httpUrl, method, params);
    const calls = (await trace('debug_traceTransaction', [hash])) as { gasUsed: Hex };
    expect(BigInt(calls.gasUsed)).toBe(receipt.gasUsed);
    const diff = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } };
    const state = (await trace('debug_traceTransaction', [hash, diff])) as {
      pre: Record<Address, { balance: Hex }>;
      post: Record<Address, { balance: Hex }>;
    };
    expect(BigInt(state.post[request.to]!.balance)).toBe(ONE);
    const payer = account.address.toLowerCase() as Address;
    const paid = BigInt(state.pre[payer]!.balance) - BigInt(state.post[payer]!.balance);
    expect(paid).toBe(ONE + receipt.gasUsed * receipt.effectiveGasPrice);
    expect(await trace('debug_traceBlockByNumber', [`0x${receipt.blockNumber.toString(16)}`])).toContainEqual({
      txHash: hash,
      result: calls,
    });
    expect(await trace('debug_traceBlockByHash', [receipt.blockHash, diff])).toContainEqual({
      txHash: hash,
      result: state,
    });
  });

  it('of a call that a contract makes with overrides', async () => {
    const abi = parseAbi(['function run(address)']);
    const data = `0x${encodeFunctionData({ abi, functionName: 'run', args: [fresh] }).slice(10)}`;
    const options = { stateOverrides: { [reader]: { code: TOKEN } } };
    const frame = await rpc(gateway.httpUrl, 'debug_traceCall', [{ to: reader, data }, 'latest', options]);
    expect(frame).toMatchObject({ type: 'CALL', from: zeroAddress, to: reader, input: data });
    expect(Number((frame as { gasUsed: Hex }).gasUsed)).toBeGreaterThan(587_000);
  });
});

describe('a simulation beyond its bounds', () => {
  const endless = { data: '0x5b5f56' };
  it.each<[string, object, string]>([
    [
      'gas',
      { blockStateCalls: [1, 2].map(() => ({ calls: [1, 2].map(() => ({ ...endless, gas: '0xf42400' })) })) },
      'gas of a simulation',
    ],
    ['blocks', { blockStateCalls: [{ blockOverrides: { number: '0xffff' } }] }, 'too many blocks'],
    ['chain', { blockStateCalls: [{ calls: [{ chainId: '0x1' }] }] }, 'chainId'],
    ['balance', { blockStateCalls: [{ stateOverrides: { [poor]: { balance: '0x1' } } }] }, 'not a multiple'],
    ['time', { blockStateCalls: [{ blockOverrides: { time: '0x1' } }] }, 'timestamps must be in order'],
    ['number', { blockStateCalls: [{ blockOverrides: { number: '0xffffffffffffffff' } }] }, '2^53'],
  ])('is refused: %s', async (_, simulation, words) => {
    const error = await readError(gateway.httpUrl, 'eth_simulateV1', [simulation, 'latest']);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(words) });
  });
});
