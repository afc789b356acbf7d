import type { Common } from '@ethereumjs/common';
import { EVM, EVMError, NobleBN254, type AddPrecompile } from '@ethereumjs/evm';
import { createAddressFromString, setLengthLeft, type Address } from '@ethereumjs/util';
import type { StateReader } from '../state/state-reader.js';
import { WorldState } from '../state/world-state.js';
import { WEI_PER_UNIT } from '../units.js';
import { chargeForNewAccounts } from './account-creation.js';
import { CallTracer } from './call-tracer.js';
import { copyOpcodes, tracedOpcodes } from './custom-opcodes.js';
import { synchronousOpcodes, TimeSlicer } from './synchronous-opcodes.js';

/** Finds the hash of an earlier block, for the opcode BLOCKHASH. */
type BlockHashes = (blockNumber: number) => Uint8Array | undefined;

/** The block that an execution sees. */
export interface BlockEnvironment {
  readonly number: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly coinbase: Address;
  readonly prevRandao: Uint8Array;
  readonly gasLimit: bigint;
  /** In wei. */
  readonly baseFeePerGas: bigint;
}

/**
 * The precompile for proofs of blobs (EIP-4844). The chain has no blobs, so no proof is valid. EthereumJS's precompile,
 * without a library for such proofs, would break the EVM instead.
 */
const POINT_EVALUATION: AddPrecompile = {
  address: createAddressFromString('0x000000000000000000000000000000000000000a'),
  function: ({ gasLimit }) => ({
    executionGasUsed: gasLimit,
    returnValue: new Uint8Array(0),
    exceptionError: new EVMError(EVMError.errorMessages.INVALID_PROOF),
  }),
};

/** EthereumJS's EVM with the chain's state, opcodes and tracer. Runs one transaction or call at a time. */
export class PartnerEvm {
  readonly evm: EVM;
  readonly state: WorldState;
  readonly tracer = new CallTracer();
  readonly slicer = new TimeSlicer();
  /** Hashes of simulated blocks, which are not on the chain. */
  private simulatedHashes: ReadonlyMap<number, Uint8Array> = new Map();

  /** @param lazyAccountGas gas for each account that a transaction creates lazily. */
  constructor(
    common: Common,
    reader: StateReader,
    blockHashes: BlockHashes,
    readonly lazyAccountGas: bigint,
  ) {
    this.state = new WorldState(reader);
    const getBlock = (blockNumber: number) => ({
      hash: () => this.simulatedHashes.get(blockNumber) ?? blockHashes(blockNumber) ?? new Uint8Array(32),
    });
    const blockchain = {
      // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous
      getBlock: async (blockNumber: number) => getBlock(blockNumber),
      // oxlint-disable-next-line typescript/require-await
      putBlock: async () => undefined,
      shallowCopy: () => blockchain,
    };
    this.evm = new EVM({
      common,
      blockchain,
      stateManager: this.state,
      bn254: new NobleBN254(),
      customPrecompiles: [POINT_EVALUATION],
      customOpcodes: chargeForNewAccounts(
        common,
        [...copyOpcodes(common), ...tracedOpcodes(common, this.tracer), ...synchronousOpcodes(common, this.slicer)],
        this.state,
        lazyAccountGas,
      ),
    });
    this.tracer.listenTo(this.evm);
  }

  /**
   * Discards all writes and starts from a state for a block or a call.
   *
   * @param simulatedHashes hashes of simulated blocks after a block of the chain, by number.
   */
  begin(reader: StateReader, simulatedHashes: ReadonlyMap<number, Uint8Array> = new Map()): void {
    this.state.reset(reader);
    this.simulatedHashes = simulatedHashes;
    this.slicer.restart();
  }

  /** Prepares the next transaction or call: nothing is warm, transient storage is empty, values become original. */
  beginTransaction(): void {
    this.evm.journal.cleanJournal();
    this.evm.transientStorage.clear();
    this.state.beginTransaction();
    this.tracer.take();
  }

  /** Converts a block for the EVM. Prices inside the EVM are in units of 8 decimals, rounded down. */
  toEvmBlock(environment: BlockEnvironment) {
    return {
      header: {
        number: BigInt(environment.number),
        coinbase: environment.coinbase,
        timestamp: BigInt(environment.timestamp),
        difficulty: 0n,
        prevRandao: setLengthLeft(environment.prevRandao, 32),
        gasLimit: environment.gasLimit,
        baseFeePerGas: environment.baseFeePerGas / WEI_PER_UNIT,
        getBlobGasPrice: () => 1n,
      },
    };
  }
}
