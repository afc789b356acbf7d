import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesToHex, hexToBytes, type Address, type Hex, keccak256, stringToHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { ChainEngine } from '../src/chain/chain-engine.js';
import { chainOptionsSchema, type ChainOptionsInput } from '../src/chain/chain-options.js';
import { createCommon } from '../src/evm/common.js';
import { PartnerEvm } from '../src/evm/partner-evm.js';
import { openChainDatabase } from '../src/db/open-database.js';
import { ChainReader, type StoredReceipt } from '../src/blocks/chain-reader.js';
import type { CallRequest } from '../src/simulation/call-request.js';
import { contextAfter, type CallContext } from '../src/simulation/simulate.js';

/** Derives an account from a name, the same in every run. */
export function makeAccount(name: string): PrivateKeyAccount {
  return privateKeyToAccount(keccak256(stringToHex(`causeway test account ${name}`)));
}

/** Senders that the test chains fund in their genesis. */
export const SENDERS = ['a', 'b', 'c', 'd'].map(makeAccount);

/** The same senders by name. */
export const [ALICE, BOB, CAROL, DAVE] = SENDERS as [
  PrivateKeyAccount,
  PrivateKeyAccount,
  PrivateKeyAccount,
  PrivateKeyAccount,
];

export const CHAIN_ID = 8901;
export const GWEI = 10n ** 9n;
/** Wei of a unit inside the EVM. */
export const UNIT = 10n ** 10n;
/** Initial balance of each sender in units: a million coins. */
export const WEALTH = 10n ** 14n;
export const VALIDATOR: Address = '0x00000000000000000000000000000000000fee00';

/** The fields of a transaction that a test sets; the rest has defaults. Value in units of 8 decimals. */
export interface Draft {
  readonly to?: Address | null;
  readonly units?: bigint;
  readonly data?: Hex;
  readonly gas?: bigint;
  readonly gasPrice?: bigint;
  readonly nonce?: number;
}

/**
 * A chain without threads: the test calls the writer, reads the database, and decides when to make blocks.
 */
export class EngineWorld {
  private constructor(
    readonly engine: ChainEngine,
    readonly reader: ChainReader,
    readonly directory: string,
    readonly clock: { milliseconds: number },
    readonly evm: PartnerEvm,
    /** Internal failures of the chain, including those that stopped it. */
    readonly failures: readonly unknown[],
    private readonly ownsDirectory: boolean,
  ) {}

  /** @param code contracts of the genesis, by address. */
  static async open(
    options: Partial<ChainOptionsInput> = {},
    code: Readonly<Record<Address, Hex>> = {},
  ): Promise<EngineWorld> {
    const directory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'partner-chain-'));
    const wealth = (WEALTH * UNIT).toString();
    const alloc = {
      ...Object.fromEntries(SENDERS.map(({ address }) => [address, { balance: wealth }])),
      ...Object.fromEntries(Object.entries(code).map(([address, text]) => [address, { code: text, nonce: 1 }])),
    };
    const parsed = chainOptionsSchema.parse({
      dataDirectory: directory,
      blockIntervalMs: 3_600_000,
      executionBudgetMs: 60_000,
      genesis: { alloc, timestamp: 1_700_000_000 },
      ...options,
    });
    const clock = { milliseconds: 1_700_000_000_000 };
    const failures: unknown[] = [];
    const listener = {
      onBlock: () => undefined,
      onPendingTransaction: () => undefined,
      onFault: (fault: unknown) => void failures.push(fault),
      onFailure: (error: unknown) => void failures.push(error),
    };
    const engine = await ChainEngine.start(parsed, listener, () => clock.milliseconds);
    const reader = new ChainReader(openChainDatabase(directory, { readOnly: true }));
    const evm = new PartnerEvm(
      createCommon(parsed.chainId),
      reader.state(0),
      (number) => reader.block(number)?.hash,
      parsed.lazyAccountGas,
    );
    const ownsDirectory = options.dataDirectory === undefined;
    return new EngineWorld(engine, reader, directory, clock, evm, failures, ownsDirectory);
  }

  get head(): number {
    return this.reader.headNumber() ?? -1;
  }

  /** Makes a block two seconds after the previous one. */
  async mine(): Promise<StoredReceipt[]> {
    this.clock.milliseconds += 2_000;
    await this.engine.mine();
    this.reader.database.root.resetReadTxn();
    if (this.failures[0] !== undefined) throw this.failures[0];
    return this.reader.receipts(this.head);
  }

  submit(raw: Hex): Hex {
    return this.engine.submit(hexToBytes(raw));
  }

  /** Signs an ordinary transaction (type 2, 1 gwei). */
  async sign(from: PrivateKeyAccount, draft: Draft): Promise<Hex> {
    const gasPrice = draft.gasPrice ?? GWEI;
    return await from.signTransaction({
      type: 'eip1559',
      chainId: CHAIN_ID,
      nonce: draft.nonce ?? Number(this.engine.pendingNonce(hexToBytes(from.address))),
      ...(draft.to === null || draft.to === undefined ? {} : { to: draft.to }),
      value: (draft.units ?? 0n) * UNIT,
      data: draft.data ?? '0x',
      gas: draft.gas ?? 1_000_000n,
      maxFeePerGas: gasPrice,
      maxPriorityFeePerGas: gasPrice - GWEI / 2n,
    });
  }

  /** Sends a transaction in its own block. */
  async send(from: PrivateKeyAccount, draft: Draft): Promise<StoredReceipt> {
    const hash = this.submit(await this.sign(from, draft));
    await this.mine();
    const place = this.reader.place(hexToBytes(hash));
    const receipt = place === null ? null : this.reader.receipt(place.blockNumber, place.index);
    if (receipt === null) throw new Error('the transaction was not mined');
    return receipt;
  }

  /** Creates a call request with defaults. */
  request(from: Address, draft: Draft): CallRequest {
    return {
      from: from.toLowerCase() as Address,
      to: draft.to ?? null,
      value: (draft.units ?? 0n) * UNIT,
      data: draft.data ?? '0x',
      gas: draft.gas ?? null,
      gasPrice: draft.gasPrice ?? 0n,
      accessList: [],
    };
  }

  /** Creates the context of a call after a block (default: the newest). */
  context(blockNumber: number = this.head): CallContext {
    return contextAfter(this.evm, this.reader, this.reader.block(blockNumber)!);
  }

  /** Reads the balance of an address in units after a block (default: the newest). */
  balance(address: Address, blockNumber: number = this.head): bigint {
    return this.account(address, blockNumber)?.balance ?? 0n;
  }

  account(address: Address, blockNumber: number = this.head) {
    return this.reader.state(blockNumber).account(hexToBytes(address));
  }

  slot(address: Address, slot: bigint, blockNumber: number = this.head): bigint {
    const key = hexToBytes(`0x${slot.toString(16).padStart(64, '0')}`);
    const value = this.reader.state(blockNumber).slot(hexToBytes(address), key);
    return value.length === 0 ? 0n : BigInt(bytesToHex(value));
  }

  async close(): Promise<void> {
    await this.engine.close();
    await this.reader.database.root.close();
    if (this.ownsDirectory) rmSync(this.directory, { recursive: true, force: true });
  }
}
