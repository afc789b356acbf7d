import type { Anvil } from '@causeway/test-kit';
import { concatHex, keccak256, toHex, type Address, type Hex } from 'viem';
import type { NumberedEvents, ReadStep, Watch } from '../src/index.js';
import { ChainReader, type ReaderOptions } from '../src/reader/chain-reader.js';

const TOPIC = keccak256(toHex('Numbered(uint256)'));

/**
 * A call without data emits an event with the next number; a call with data returns the next number. BridgeLock and
 * BridgeMint number the operations that begin there in the same way.
 */
const CODE: Hex = concatHex([
  '0x36603457',
  '0x5f54805f52',
  '0x7f',
  TOPIC,
  '0x60205fa1',
  '0x6001015f5500',
  '0x5b5f545f5260205ff3',
]);

/** Places the counting contract on an anvil. */
export async function placeCountingContract(
  anvil: Anvil,
): Promise<NumberedEvents & { readonly emit: () => Promise<void> }> {
  const contract: Address = `0x${'c0'.repeat(20)}`;
  await anvil.test.setCode({ address: contract, bytecode: CODE });
  return {
    contract,
    topic: TOPIC,
    counter: '0x01',
    emit: async () => void (await anvil.wallet.sendTransaction({ to: contract, gas: 100_000n })),
  };
}

/** A reader with a store, as in the relayer. */
export class ReaderUnderTest {
  readonly hashes = new Map<bigint, Hex>();
  readonly numbers: bigint[] = [];
  readonly times = new Map<bigint, bigint>();
  readonly paid: bigint[] = [];
  readonly steps: ReadStep[] = [];
  readonly faults: unknown[] = [];
  private reader: ChainReader;

  constructor(
    private readonly options: Pick<ReaderOptions, 'nodes' | 'numbered' | 'limits'> & { readonly watch: Watch },
    public nextBlock: bigint,
    private readonly confirmations = 12,
  ) {
    this.reader = this.newReader();
  }

  /** Continues with other nodes and without memory. */
  restart(nodes = this.options.nodes): void {
    this.reader = this.newReader(nodes);
  }

  /** Reads one step and stores it. */
  async step(): Promise<ReadStep> {
    const step = await this.reader.read({
      nextBlock: this.nextBlock,
      lastHash: this.hashes.get(this.nextBlock - 1n) ?? null,
    });
    this.steps.push(step);
    if (step.kind === 'extend') {
      for (const block of step.blocks) {
        this.hashes.set(block.number, block.hash);
        this.times.set(block.number, block.timestampSeconds);
        this.numbers.push(...block.logs.map(({ data }) => BigInt(data)));
        this.paid.push(...block.transfers.map(({ value }) => value));
        this.nextBlock = block.number + 1n;
      }
    }
    return step;
  }

  /** Reads up to the head. */
  async catchUp(): Promise<void> {
    while ((await this.step()).kind === 'extend');
  }

  private newReader(nodes = this.options.nodes): ChainReader {
    return new ChainReader({
      ...this.options,
      nodes,
      confirmations: this.confirmations,
      stored: {
        findHash: (number) => Promise.resolve(this.hashes.get(number) ?? null),
        below: (number) => {
          const newest = [...this.hashes.keys()].filter((one) => one < number).toSorted((a, b) => (a < b ? 1 : -1))[0];
          return Promise.resolve(
            newest === undefined ? null : { number: newest, hash: this.hashes.get(newest) ?? '0x' },
          );
        },
        nextNumber: () => Promise.resolve(BigInt(this.numbers.length)),
      },
      report: (fault) => this.faults.push(fault),
    });
  }
}
