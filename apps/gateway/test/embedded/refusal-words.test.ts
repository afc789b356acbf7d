import { testAccount, waitUntil } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpcProvider } from 'ethers';
import {
  concat,
  createPublicClient,
  custom,
  FeeCapTooLowError,
  InsufficientFundsError,
  IntrinsicGasTooHighError,
  IntrinsicGasTooLowError,
  keccak256,
  NonceMaxValueError,
  NonceTooHighError,
  NonceTooLowError,
  numberToHex,
  parseEther,
  parseGwei,
  parseSignature,
  TipAboveFeeCapError,
  toRlp,
  TransactionTypeNotSupportedError,
  type BaseError,
  type Hex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { getTransactionError } from 'viem/utils';
import { Caller, type RpcErrorBody } from '../setup/caller.js';
import { CHAIN_ID, openChain, type TestChain } from '../setup/chains.js';

const OWNER = testAccount(0);
const POOR = privateKeyToAccount(generatePrivateKey());

interface Fields {
  readonly nonce: bigint;
  readonly tip?: bigint;
  readonly cap?: bigint;
  readonly gas?: bigint;
  readonly value?: bigint;
  readonly by?: typeof OWNER;
}

/** Signs a transfer of type 2, including fields that libraries would reject. */
async function sign(fields: Fields): Promise<Hex> {
  const { nonce, tip = parseGwei('1'), cap = parseGwei('2'), gas = 21_000n, value = 0n, by = OWNER } = fields;
  const numbers = [BigInt(CHAIN_ID), nonce, tip, cap, gas].map(toField);
  const unsigned = [...numbers, OWNER.address, toField(value), '0x' as const, []];
  const hash = keccak256(concat(['0x02', toRlp(unsigned)]));
  const { r, s, yParity } = parseSignature(await by.sign({ hash }));
  return concat(['0x02', toRlp([...unsigned, ...[BigInt(yParity), BigInt(r), BigInt(s)].map(toField)])]);
}

function toField(value: bigint): Hex {
  return value === 0n ? '0x' : numberToHex(value);
}

const withoutChainId = { nonce: 1, to: OWNER.address, gas: 21_000n, gasPrice: parseGwei('1') };

/** A refusal of eth_sendRawTransaction, with viem's error class and ethers's error code for it. */
const REFUSALS: readonly (readonly [string, Promise<Hex>, { readonly name: string } | null, string | null])[] = [
  ['a price below the base fee', sign({ nonce: 1n, cap: 499_999_999n, tip: 0n }), FeeCapTooLowError, null],
  ['a tip above the cap', sign({ nonce: 1n, tip: parseGwei('3') }), TipAboveFeeCapError, null],
  ['a used nonce', sign({ nonce: 0n, value: 10n ** 10n }), NonceTooLowError, 'NONCE_EXPIRED'],
  ['a nonce far ahead', sign({ nonce: 2_001n }), NonceTooHighError, null],
  ['the last nonce of all', sign({ nonce: 2n ** 64n - 1n }), NonceMaxValueError, null],
  ['the same transaction while pending', sign({ nonce: 7n }), NonceTooLowError, null],
  ['a replacement that pays little more', sign({ nonce: 7n, value: 10n ** 10n }), null, 'REPLACEMENT_UNDERPRICED'],
  ['a sender without funds', sign({ nonce: 0n, by: POOR }), InsufficientFundsError, 'INSUFFICIENT_FUNDS'],
  [
    'more than pending transactions leave',
    sign({ nonce: 1n, value: parseEther('999999') }),
    InsufficientFundsError,
    'INSUFFICIENT_FUNDS',
  ],
  ['too little gas', sign({ nonce: 1n, gas: 20_999n }), IntrinsicGasTooLowError, null],
  ['more gas than a transaction may have', sign({ nonce: 1n, gas: 2n ** 24n + 1n }), IntrinsicGasTooHighError, null],
  ['an unknown type', Promise.resolve('0x05c0'), TransactionTypeNotSupportedError, null],
  ['no chain id', OWNER.signTransaction({ type: 'legacy', ...withoutChainId }), null, 'UNSUPPORTED_OPERATION'],
];

/** A refusal of another method, its code, viem's error class and ethers's error code for it. */
const OTHER_REFUSALS: readonly (readonly [string, string, readonly unknown[], number, string, string])[] = [
  ['an unknown filter', 'eth_getFilterChanges', ['0x1'], -32000, 'InvalidInputRpcError', 'UNKNOWN_ERROR'],
  ['the logs of an unknown filter', 'eth_getFilterLogs', ['0x1'], -32000, 'InvalidInputRpcError', 'UNKNOWN_ERROR'],
  ['no method', 'eth_nothing', [], -32601, 'MethodNotFoundRpcError', 'UNSUPPORTED_OPERATION'],
  ['a method of nodes', 'eth_sign', [], -32004, 'MethodNotSupportedRpcError', 'UNSUPPORTED_OPERATION'],
  ['a subscription', 'eth_subscribe', ['newHeads'], -32004, 'MethodNotSupportedRpcError', 'UNKNOWN_ERROR'],
];

describe('a refusal', () => {
  let world: TestChain;
  let caller: Caller;
  const provider = new JsonRpcProvider('http://127.0.0.1:1', CHAIN_ID, { staticNetwork: true });
  const toEthersCode = (method: string, params: unknown[], error: RpcErrorBody): string => {
    const known = provider.getRpcError({ jsonrpc: '2.0', id: 1, method, params }, { id: 1, error });
    return (known as Error & { readonly code: string }).code;
  };

  beforeAll(async () => {
    world = await openChain('embedded');
    caller = new Caller(world.methods);
    await caller.call('eth_sendRawTransaction', await sign({ nonce: 0n }));
    await caller.call('eth_sendRawTransaction', await sign({ nonce: 7n }));
    await caller.call('eth_sendRawTransaction', await sign({ nonce: 8n, value: parseEther('10') }));
  });
  afterAll(async () => {
    provider.destroy();
    await world?.close();
  });

  it.each(REFUSALS)(
    'of a transaction for %s is recognized by viem and ethers by its message',
    async (_, signing, viemClass, ethersCode) => {
      const raw = await signing;
      const refusal = await caller.refusal('eth_sendRawTransaction', raw);
      expect(refusal.code).toBe(-32003);

      const client = createPublicClient({
        transport: custom({ request: () => Promise.reject(refusal) }, { retryCount: 0 }),
      });
      const error: unknown = await client.sendRawTransaction({ serializedTransaction: raw }).catch((each) => each);
      // As viem's sendTransaction does with what sendRawTransaction throws.
      const { cause } = getTransactionError(error as BaseError, { account: null });
      expect([refusal.message, (cause as Error).name]).toEqual([
        refusal.message,
        viemClass?.name ?? 'TransactionRejectedRpcError',
      ]);

      const code = toEthersCode('eth_sendRawTransaction', [raw], refusal);
      expect([refusal.message, code]).toEqual([refusal.message, ethersCode ?? 'UNKNOWN_ERROR']);
    },
  );
  it.each(OTHER_REFUSALS)(
    'for %s (%s) is recognized by them too',
    async (_, method, params, code, viemName, ethersCode) => {
      const refusal = await caller.refusal(method, ...params);
      const client = createPublicClient({
        transport: custom({ request: () => Promise.reject(refusal) }, { retryCount: 0 }),
      });
      const error = await client.request({ method, params } as never).catch((each: Error) => each);
      const words = [refusal.code, error.name, toEthersCode(method, [...params], refusal)];
      expect([refusal.message, ...words]).toEqual([refusal.message, code, viemName, ethersCode]);
    },
  );

  it('makes viem continue with a new filter when one is lost', async () => {
    const made: string[] = [];
    const request = async ({ method, params = [] }: { readonly method: string; readonly params?: unknown[] }) => {
      const result = await caller.call(method, ...params).catch(async () => {
        throw await caller.refusal(method, ...params);
      });
      if (method === 'eth_newFilter') made.push(result as string);
      return result;
    };
    const client = createPublicClient({ transport: custom({ request }), pollingInterval: 10 });
    const stop = client.watchEvent({ onLogs: () => undefined, onError: () => undefined });
    try {
      const first = await waitUntil('viem has a filter', () => made[0]);
      await caller.call('eth_uninstallFilter', first);
      expect(await waitUntil('viem has another', () => made[1], { timeoutMs: 2_000 })).not.toBe(first);
    } finally {
      stop();
    }
  });
});
