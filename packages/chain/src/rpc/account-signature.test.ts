import { describe, expect, it } from '@jest/globals';
import {
  createPublicClient,
  custom,
  decodeFunctionData,
  HttpRequestError,
  padHex,
  parseAbi,
  RpcRequestError,
  TimeoutError,
  type Hex,
  type PublicClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { askNodes } from '../nodes/quorum.js';
import { checkAccountSignature } from './account-signature.js';
import { QuorumError } from './chain-error.js';

const url = 'http://node.example';
const owner = privateKeyToAccount('0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a');
const account = owner.address;
const digest: Hex = `0x${'1d'.repeat(32)}`;
const CONTRACT: Hex = '0x6000';
const DELEGATED: Hex = `0xef0100${'c0'.repeat(20)}`;
const ACCEPTED = padHex('0x1626ba7e', { dir: 'right', size: 32 });
const signature: Hex = '0x51637e';
const byKey = await owner.sign({ hash: digest });

/** How a node answers: `call` is the result of isValidSignature, or its error. */
interface Script {
  readonly code?: Hex;
  readonly nonce?: Hex;
  readonly call?: Hex | Error | { readonly code: number; readonly message: string; readonly data?: Hex };
}
type Asked = { method: string; params: readonly unknown[] };

function scriptedNode({ code = CONTRACT, nonce = '0x0', call = ACCEPTED }: Script, asked: Asked[]): PublicClient {
  const answers: Record<string, () => Hex> = {
    eth_getCode: () => code,
    eth_getTransactionCount: () => nonce,
    eth_call: () => {
      if (typeof call === 'string') return call;
      throw call instanceof Error ? call : new RpcRequestError({ body: {}, url, error: call });
    },
  };
  const request = async ({ method, params }: Asked) => {
    asked.push({ method, params });
    return answers[method]?.();
  };
  return createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
}

async function check(scripts: readonly Script[], signed: Hex = signature, quorum = scripts.length) {
  const asked: Asked[] = [];
  const nodes = scripts.map((script, index) => ({ name: `node ${index}`, client: scriptedNode(script, asked) }));
  const chain = {
    agreedHead: async () => 100n,
    agree: <T>(read: (client: PublicClient) => Promise<T>, toKey?: (answer: T) => string) =>
      askNodes({ chain: 'partner', nodes, notAsked: [], quorum, read, toKey }),
  };
  return { verdict: await checkAccountSignature(chain, { account, digest, signature: signed }), asked };
}
const readVerdict = async (script: Script, signed?: Hex) => (await check([script], signed)).verdict;

const valid = { kind: 'valid' };
const refused = (reason: string) => ({ kind: 'refused', isDelegated: false, reason: expect.stringContaining(reason) });

describe('an account without code', () => {
  it('signs with its key', async () => {
    expect(await readVerdict({ code: '0x' }, byKey)).toEqual(valid);
  });

  it('may become a contract until it has sent a transaction', async () => {
    expect(await readVerdict({ code: '0x' })).toEqual({ kind: 'no-code', isDeployable: true });
    expect(await readVerdict({ code: '0x', nonce: '0x1' })).toEqual({ kind: 'no-code', isDeployable: false });
  });
});

describe('a contract', () => {
  it('is asked isValidSignature(bytes32,bytes) at the agreed block, with a bound of gas', async () => {
    const { verdict, asked } = await check([{}]);
    expect(verdict).toEqual(valid);
    expect(asked.map(({ method, params }) => [method, params[1]])).toEqual([
      ['eth_getCode', '0x64'],
      ['eth_getTransactionCount', '0x64'],
      ['eth_call', '0x64'],
    ]);
    const call = asked[2]!.params[0] as { data: Hex };
    expect(call).toMatchObject({ to: account, gas: '0x4c4b40' });
    const abi = parseAbi(['function isValidSignature(bytes32, bytes)']);
    expect(decodeFunctionData({ abi, data: call.data }).args).toEqual([digest, signature]);
    expect(call.data.slice(0, 10)).toBe('0x1626ba7e');
  });

  it('decides alone: a signature by the key of its address does not count', async () => {
    expect(await readVerdict({ call: padHex('0x', { size: 32 }) }, byKey)).toEqual(refused('returns 0x00000000'));
  });

  it.each<[string, Hex, string]>([
    ['another value', padHex('0xffffffff', { dir: 'right', size: 32 }), 'returns 0xffffffff, not 0x1626ba7e'],
    ['the value of the drafts', padHex('0x20c13b0b', { dir: 'right', size: 32 }), 'of a draft of ERC-1271'],
    ['nothing', '0x', 'returns 0 bytes, not 32'],
    ['the value alone', '0x1626ba7e', 'returns 4 bytes, not 32'],
    ['the value at the other end', padHex('0x1626ba7e', { size: 32 }), 'returns 0x00000000'],
    ['the value and a byte more', `${ACCEPTED}00`, 'returns 33 bytes, not 32'],
    ['its own call data', `0x1626ba7e${digest.slice(2, 58)}`, 'not 0x1626ba7e'],
  ])('is refused when it returns %s', async (_, call, reason) => {
    expect(await readVerdict({ call })).toEqual(refused(reason));
  });

  it.each([
    ['geth', 3, 'execution reverted: rate limit exceeded'],
    ['geth', -32000, 'out of gas'],
    ['geth', -32000, 'invalid opcode: INVALID'],
    ['geth', -32000, 'stack underflow (0 <=> 1)'],
    ['reth', -32003, 'out of gas: gas required exceeds: 5000000'],
    ['erigon', -32000, 'invalid jump destination'],
    ['besu', -32000, 'Execution reverted'],
    ['nethermind', -32015, 'OutOfGas'],
    ['anvil', -32603, 'EVM error OutOfGas'],
    ['anvil', -32603, 'EVM error InvalidFEOpcode'],
    ['the gateway', -32000, 'Execution reverted: out of gas'],
  ])('is refused when its execution fails, in the words of %s: %i %s', async (_, code, message) => {
    expect(await readVerdict({ call: { code, message } })).toEqual(refused('reverts or runs out of gas'));
  });

  it.each<[string, NonNullable<Script['call']>]>([
    ['is down', new HttpRequestError({ url, status: 502 })],
    ['does not answer in time', new TimeoutError({ body: {}, url })],
    ['ends the call by its own timeout', { code: -32000, message: 'execution aborted (timeout = 5s)' }],
    ['is busy', { code: -32002, message: 'Resource unavailable: the call took longer than 5000 ms' }],
    ['limits requests', { code: -32005, message: 'rate limit exceeded' }],
    ['has an internal fault', { code: -32603, message: 'Internal error' }],
    ['lacks the block', { code: -32000, message: 'header not found' }],
    ['lacks the state', { code: -32000, message: 'missing trie node 5c (path ) state is not available' }],
  ])('is not judged by a node that %s', async (_, call) => {
    await expect(readVerdict({ call })).rejects.toThrow(QuorumError);
  });
});

describe('an account that delegates to a contract (EIP-7702)', () => {
  it('signs with its key, whatever the contract says', async () => {
    const { verdict, asked } = await check([{ code: DELEGATED, call: '0x' }], byKey);
    expect(verdict).toEqual(valid);
    expect(asked.map(({ method }) => method)).not.toContain('eth_call');
  });

  it('else signs by its contract', async () => {
    expect(await readVerdict({ code: DELEGATED })).toEqual(valid);
    expect(await readVerdict({ code: DELEGATED, call: '0x' })).toMatchObject({ kind: 'refused', isDelegated: true });
  });

  it('is one only with exactly this code', async () => {
    const contract = { code: `${DELEGATED}00`, call: '0x' } as const;
    expect(await readVerdict(contract, byKey)).toEqual(refused('returns 0 bytes'));
  });
});

describe('several nodes', () => {
  const no = { call: '0x' } as const;
  const away = { call: new TimeoutError({ body: {}, url }) };

  it('one that lies decides nothing, whether it says yes or no', async () => {
    expect((await check([{}, no, no], signature, 2)).verdict).toMatchObject({ kind: 'refused' });
    expect((await check([no, {}, {}], signature, 2)).verdict).toEqual(valid);
    expect((await check([{ code: '0x' }, {}, {}], signature, 2)).verdict).toEqual(valid);
  });

  it('agree on a refusal whatever their words', async () => {
    const reverts = { call: { code: 3, message: 'execution reverted' } };
    expect((await check([no, reverts], signature, 2)).verdict).toMatchObject({ kind: 'refused' });
  });

  it('that do not agree, or do not answer, say nothing', async () => {
    await expect(check([{}, no], signature, 2)).rejects.toThrow(QuorumError);
    await expect(check([{}, away], signature, 2)).rejects.toThrow(QuorumError);
    expect((await check([{}, away, {}], signature, 2)).verdict).toEqual(valid);
  });
});
