import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { copyChain, PartnerChain } from '../dist/index.js';

const openIn = async (dataDirectory: string) =>
  PartnerChain.open({ dataDirectory, blockIntervalMs: 0 }, { threads: 0 });
const refused = (message: RegExp) => ({ code: 'UNUSABLE_DIRECTORY', message: expect.stringMatching(message) });

let directory: string;
let copy: string;
let chain: PartnerChain;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'partner-chain-'));
  copy = `${directory}-copy`;
  chain = await openIn(directory);
});

afterEach(async () => {
  await chain.close();
  for (const path of [directory, copy]) rmSync(path, { recursive: true, force: true });
});

describe("a copy of a chain's directory, taken while it runs", () => {
  it('is refused before it makes a block, until an operator names its newest block', async () => {
    await chain.mine();
    expect(await copyChain(directory, copy)).toBe(1);
    await chain.mine();
    for (const accepted of [null, '2']) {
      if (accepted !== null) writeFileSync(join(copy, 'accept-copy'), accepted);
      await expect(openIn(copy)).rejects.toMatchObject(refused(/is a copy that ends at block 1: .*accept-copy$/));
    }
    writeFileSync(join(copy, 'accept-copy'), '1\n');
    for (const blocks of [2, 3]) {
      const other = await openIn(copy);
      await other.mine();
      expect(other.headNumber()).toBe(blocks);
      await other.close();
    }
    expect(readdirSync(copy).toSorted()).toEqual(['data.mdb', 'lock.mdb']);
  });

  it('is refused too when it was made by another program, or written over the original file', async () => {
    cpSync(directory, copy, { recursive: true });
    await expect(openIn(copy)).rejects.toMatchObject(refused(/is a copy that ends at block 0/));
    rmSync(copy, { recursive: true });
    await copyChain(directory, copy);
    await chain.mine();
    await chain.close();
    writeFileSync(join(directory, 'data.mdb'), readFileSync(join(copy, 'data.mdb')));
    await expect(openIn(directory)).rejects.toMatchObject(refused(/is a copy that ends at block 0/));
  });

  it('is refused when it was cut off, and stays unchanged', async () => {
    await copyChain(directory, copy);
    const data = join(copy, 'data.mdb');
    const { size } = statSync(data);
    for (const left of [size - 1, Math.floor(size / 2), 0]) {
      truncateSync(data, left);
      await expect(openIn(copy)).rejects.toMatchObject(refused(/has \d+ of its \d+ bytes: the copy was cut off/));
      expect(statSync(data).size).toBe(left);
    }
  });

  it('is complete and consistent while blocks are added', async () => {
    const mining = (async () => {
      for (let block = 0; block < 30; block += 1) await chain.mine();
    })();
    const block = await copyChain(directory, copy);
    await mining;
    writeFileSync(join(copy, 'accept-copy'), `${block}`);
    const other = await openIn(copy);
    for (let number = 0; number <= block; number += 1)
      expect(other.reader.block(number)?.hash).toEqual(chain.reader.block(number)?.hash);
    await other.close();
  });

  it('is not made over another directory, or of a directory without a chain', async () => {
    await expect(copyChain(directory, tmpdir())).rejects.toMatchObject(refused(/already exists/));
    await expect(copyChain(tmpdir(), copy)).rejects.toMatchObject(refused(/holds no chain/));
    expect(existsSync(copy)).toBe(false);
  });
});
