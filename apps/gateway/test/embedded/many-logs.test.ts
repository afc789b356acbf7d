import { testKey, type GatewayProcess } from '@causeway/test-kit';
import { definePartnerChain } from '@causeway/protocol';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWalletClient, http, numberToHex, publicActions, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { startEmbeddedGateway } from '../setup/gateway.js';
import { readError, rpc } from '../setup/rpc.js';

/** Emits as many logs without topics and data as the first word of its input says. */
const EMITTER: Hex = '0x6e5f355b5f5fa06001900380600257005f52600f6011f3';
/** An address with no logs. */
const QUIET: Address = `0x${'01'.repeat(20)}`;

let gateway: GatewayProcess;
let emitter: Address;
const blocks: { readonly hash: Hex; readonly number: bigint }[] = [];
beforeAll(async () => {
  gateway = await startEmbeddedGateway();
  const chain = definePartnerChain({ environment: 'testnet', rpcUrl: gateway.httpUrl });
  const client = createWalletClient({ account: privateKeyToAccount(testKey(0)), chain, transport: http() });
  const { deployContract, sendTransaction, waitForTransactionReceipt } = client.extend(publicActions);
  const deployed = await waitForTransactionReceipt({ hash: await deployContract({ abi: [], bytecode: EMITTER }) });
  emitter = deployed.contractAddress!;
  for (const logs of [6_000, 6_000, 10_001]) {
    const data = numberToHex(logs, { size: 32 });
    const hash = await sendTransaction({ to: emitter, data, gas: 8_000_000n });
    const { blockHash, blockNumber } = await waitForTransactionReceipt({ hash });
    blocks.push({ hash: blockHash, number: blockNumber });
  }
}, 30_000);
afterAll(() => gateway?.stop());

const find = async (filter: object) => (await rpc(gateway.httpUrl, 'eth_getLogs', [filter])) as unknown[];
const range = (first: number, last: number) => ({
  fromBlock: numberToHex(blocks[first]!.number),
  toBlock: numberToHex(blocks[last]!.number),
});

it('of one block or two are all returned', async () => {
  expect(await find({ blockHash: blocks[2]!.hash })).toHaveLength(10_001);
  expect(await find(range(0, 1))).toHaveLength(12_000);
  const logs = await find({ ...range(1, 2), address: [emitter.toLowerCase(), QUIET] });
  expect(logs).toHaveLength(16_001);
  expect(logs.at(-1)).toMatchObject({ address: emitter.toLowerCase(), blockHash: blocks[2]!.hash, logIndex: '0x2710' });
});

it('of three are refused with a range of two that works', async () => {
  const { code, message } = await readError(gateway.httpUrl, 'eth_getLogs', [range(0, 2)]);
  expect(code).toBe(-32005);
  const [, from, to] = /Try with this block range \[(0x\w+), (0x\w+)\]/.exec(message) ?? [];
  expect([from, to]).toEqual(Object.values(range(0, 1)));
});
