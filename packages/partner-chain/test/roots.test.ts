import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesToHex, concat, getContractAddress, hexToBytes, keccak256, numberToHex, toRlp, type Hex } from 'viem';
import type { StoredReceipt } from '../src/blocks/chain-reader.js';
import { ALICE, EngineWorld } from './engine-world.js';
import { assemble, CONTRACTS } from './contracts.js';
import { minimal, naiveStateRoot, naiveTrieRoot } from './flat-state.js';
import { randomBlocks, submitAll } from './random-load.js';

const EMPTY_LIST_HASH = keccak256(toRlp([]));
const EMPTY_ROOT = keccak256(toRlp('0x'));
const NO_REQUESTS = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

it('every block has the roots, the bloom and the hash of a naive implementation', async () => {
  const seen = { types: new Set<number>(), statuses: new Set<number>(), logs: 0, creations: 0 };
  await fc.assert(
    fc.asyncProperty(randomBlocks, async (blocks) => {
      const world = await EngineWorld.open({}, CONTRACTS);
      try {
        for (const actions of blocks) {
          await submitAll(world, actions);
          const receipts = await world.mine();
          checkBlock(world);
          for (const { type, status, logs, contractAddress } of receipts) {
            seen.types.add(type);
            seen.statuses.add(status);
            seen.logs += logs.length;
            if (contractAddress !== null) seen.creations += 1;
          }
        }
      } finally {
        await world.close();
      }
    }),
    { numRuns: 25 },
  );
  expect(seen.types).toEqual(new Set([0, 1, 2, 4]));
  expect(seen.statuses.size).toBe(2);
  expect(seen.logs).toBeGreaterThan(0);
  expect(seen.creations).toBeGreaterThan(0);
});

it('more than 128 transactions in a block, with longer index keys, have a correct root', async () => {
  const world = await EngineWorld.open({}, CONTRACTS);
  try {
    for (let i = 0; i < 140; i += 1) world.submit(await world.sign(ALICE, { to: ALICE.address, gas: 21_000n }));
    await world.mine();
    expect(world.reader.transactions(1)).toHaveLength(140);
    checkBlock(world);
  } finally {
    await world.close();
  }
});

it('a contract that is destroyed and recreated in one block keeps nothing of its first instance', async () => {
  /** CREATE2 of the initcode in its calldata with all value. */
  const factory = `0x${'f2'.repeat(20)}` as const;
  const code = assemble('CALLDATASIZE 0 0 CALLDATACOPY 5 CALLDATASIZE 0 CALLVALUE CREATE2 STOP');
  // With a value it writes slot 1 and destroys itself; without, it writes slot 2 and stays.
  const bytecode = assemble('CALLVALUE @ends JUMPI 2 2 SSTORE 1 0 RETURN ends: 1 1 SSTORE CALLER SELFDESTRUCT');
  const salt = numberToHex(5, { size: 32 });
  const contract = getContractAddress({ from: factory, salt, bytecode, opcode: 'CREATE2' });
  const world = await EngineWorld.open({}, { [factory]: code });
  try {
    await world.send(ALICE, { to: contract, units: 5n });
    for (const units of [3n, 4n, 0n]) world.submit(await world.sign(ALICE, { to: factory, units, data: bytecode }));
    const receipts = await world.mine();
    expect(receipts.map(({ status }) => status)).toEqual([1, 1, 1]);
    checkBlock(world);
    expect(world.balance(factory)).toBe(12n);
    expect(world.account(contract)).toMatchObject({ nonce: 1n, balance: 0n });
    expect([world.slot(contract, 1n), world.slot(contract, 2n)]).toEqual([0n, 2n]);
  } finally {
    await world.close();
  }
});

function checkBlock(world: EngineWorld): void {
  const { reader, head } = world;
  const block = reader.block(head)!;
  const parent = reader.block(head - 1)!;
  const { header } = block;
  const transactions = reader.transactions(head);
  const receipts = reader.receipts(head);
  expect(receipts).toHaveLength(transactions.length);
  const bloom = naiveBloom(receipts);
  expect(bytesToHex(header.logsBloom)).toBe(bloom);
  expect(bytesToHex(header.transactionsRoot)).toBe(indexRoot(transactions.map(({ raw }) => bytesToHex(raw))));
  expect(bytesToHex(header.receiptsRoot)).toBe(indexRoot(receipts.map(encodeReceipt)));
  expect(bytesToHex(header.stateRoot)).toBe(naiveStateRoot(reader.database));
  expect(header.gasUsed).toBe(receipts.at(-1)?.cumulativeGasUsed ?? 0n);
  expect(receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)).toBe(header.gasUsed);
  expect(header.timestamp).toBe(Math.floor(world.clock.milliseconds / 1000));
  const encoded = toRlp([
    bytesToHex(parent.hash),
    EMPTY_LIST_HASH,
    '0x00000000000000000000000000000000000fee00',
    bytesToHex(header.stateRoot),
    bytesToHex(header.transactionsRoot),
    bytesToHex(header.receiptsRoot),
    bloom,
    '0x',
    minimal(BigInt(head)),
    minimal(60_000_000n),
    minimal(header.gasUsed),
    minimal(BigInt(header.timestamp)),
    '0x',
    keccak256(parent.hash),
    '0x0000000000000000',
    minimal(500_000_000n),
    EMPTY_ROOT,
    '0x',
    '0x',
    `0x${'00'.repeat(32)}`,
    NO_REQUESTS,
  ]);
  expect(bytesToHex(block.hash)).toBe(keccak256(encoded));
  expect(reader.findNumber(block.hash)).toBe(head);
}

function indexRoot(values: readonly Hex[]): Hex {
  return naiveTrieRoot(values.map((value, index) => [toRlp(minimal(BigInt(index))), value]));
}

function encodeReceipt(receipt: StoredReceipt): Hex {
  const payload = toRlp([
    minimal(BigInt(receipt.status)),
    minimal(receipt.cumulativeGasUsed),
    naiveBloom([receipt]),
    receipt.logs.map(({ address, topics, data }) => [
      bytesToHex(address),
      topics.map((topic) => bytesToHex(topic)),
      bytesToHex(data),
    ]),
  ]);
  return receipt.type === 0 ? payload : concat([minimal(BigInt(receipt.type)), payload]);
}

/** The bloom as one number of 2,048 bits. */
function naiveBloom(receipts: readonly StoredReceipt[]): Hex {
  let bloom = 0n;
  for (const { logs } of receipts) {
    for (const { address, topics } of logs) {
      for (const item of [address, ...topics]) {
        const hash = hexToBytes(keccak256(item));
        for (const at of [0, 2, 4]) bloom |= 1n << BigInt((hash[at]! * 256 + hash[at + 1]!) % 2048);
      }
    }
  }
  return `0x${bloom.toString(16).padStart(512, '0')}`;
}
