import { getContractAddress, keccak256, pad, parseGwei, type Hex, type TransactionSerializable } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Caller } from './caller.js';
import { CHAIN_ID } from './chains.js';

/** The contents of a populated chain. */
export interface PopulatedChain {
  /** A contract that emits a log with the first word of its input as topic. */
  readonly emitter: Hex;
  /** Transactions by type; those that emit are `dynamicFee` and `emitted`. */
  readonly hashes: Readonly<
    Record<'legacy' | 'accessList' | 'dynamicFee' | 'authorized' | 'deployed' | 'emitted', Hex>
  >;
}

/** Runtime code: PUSH0 CALLDATALOAD PUSH0 PUSH0 LOG1 STOP. */
export const EMITTER_CODE: Hex = '0x5f355f5fa100';
const EMITTER_CREATION: Hex = '0x655f355f5fa1005f526006601af3';
export const TOPIC = pad('0x77', { size: 32 });

const sender = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const authority = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');

/** Sends transactions through the methods under test. */
export class Sender {
  readonly address = sender.address;

  constructor(private readonly caller: Caller) {}

  /** Signs a transaction with the next nonce. */
  async sign(transaction: Draft): Promise<Hex> {
    const nonce = Number(await this.caller.call('eth_getTransactionCount', sender.address, 'pending'));
    return sender.signTransaction({ ...transaction, chainId: CHAIN_ID, nonce } as TransactionSerializable);
  }

  /** Sends without waiting. @returns the hash. */
  async send(transaction: Draft): Promise<Hex> {
    const raw = await this.sign(transaction);
    const hash = await this.caller.call<Hex>('eth_sendRawTransaction', raw);
    if (hash !== keccak256(raw)) throw new Error('The hash of a transaction is not the expected one');
    return hash;
  }

  /** Sends and waits for the receipt. */
  async run(transaction: Draft): Promise<Hex> {
    const hash = await this.send(transaction);
    for (let attempt = 0; attempt < 200; attempt += 1) {
      if ((await this.caller.call('eth_getTransactionReceipt', hash)) !== null) return hash;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`${hash} is in no block`);
  }

  /** Makes the emitter emit. */
  emit(emitter: Hex, topic = TOPIC): Promise<Hex> {
    return this.run({ type: 'eip1559', to: emitter, data: topic, ...DYNAMIC_FEE, gas: 100_000n });
  }
}

export const DYNAMIC_FEE = { maxFeePerGas: parseGwei('5'), maxPriorityFeePerGas: parseGwei('1') };
const gasPrice = parseGwei('5');

type Draft = Omit<TransactionSerializable, 'nonce' | 'chainId'>;

/** Transactions of each type, the creation of the emitter first. */
export async function draftTransactions(emitter: Hex) {
  const authorization = await authority.signAuthorization({ contractAddress: emitter, chainId: CHAIN_ID, nonce: 0 });
  const emission = { type: 'eip1559', to: emitter, data: TOPIC, ...DYNAMIC_FEE, gas: 100_000n } as const;
  return {
    deployed: { type: 'eip1559', data: EMITTER_CREATION, ...DYNAMIC_FEE, gas: 1_000_000n },
    legacy: { type: 'legacy', to: authority.address, value: 10n ** 18n, gasPrice, gas: 21_000n },
    accessList: {
      type: 'eip2930',
      to: emitter,
      data: TOPIC,
      accessList: [{ address: emitter, storageKeys: [TOPIC] }],
      gasPrice,
      gas: 100_000n,
    },
    dynamicFee: emission,
    authorized: {
      type: 'eip7702',
      to: authority.address,
      data: TOPIC,
      authorizationList: [authorization],
      ...DYNAMIC_FEE,
      gas: 200_000n,
    },
    emitted: emission,
  } as const satisfies Record<string, Draft>;
}

/** Gives a chain a transaction of each type, a contract and logs. */
export async function populateChain(caller: Caller): Promise<PopulatedChain> {
  const by = new Sender(caller);
  const nonce = BigInt(await caller.call<Hex>('eth_getTransactionCount', by.address));
  const emitter = getContractAddress({ from: by.address, nonce });
  const hashes: Record<string, Hex> = {};
  for (const [name, draft] of Object.entries(await draftTransactions(emitter))) hashes[name] = await by.run(draft);
  return { emitter, hashes: hashes as PopulatedChain['hashes'] };
}
