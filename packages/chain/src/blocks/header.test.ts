import { describe, expect, it } from '@jest/globals';
import { keccak256, type PublicClient } from 'viem';
import { InconsistentBlockError } from '../rpc/chain-error.js';
import { bloomBits, bloomMayContain, headerHash, readHeaderByHash } from './header.js';
import type { RpcHeader } from './rpc-shapes.js';

// Block 0 of Ethereum mainnet.
const genesis: RpcHeader = {
  hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
  parentHash: `0x${'00'.repeat(32)}`,
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  miner: `0x${'00'.repeat(20)}`,
  stateRoot: '0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544',
  transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  receiptsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  logsBloom: `0x${'00'.repeat(256)}`,
  difficulty: '0x400000000',
  number: '0x0',
  gasLimit: '0x1388',
  gasUsed: '0x0',
  timestamp: '0x0',
  extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
  mixHash: `0x${'00'.repeat(32)}`,
  nonce: '0x0000000000000042',
};

const address = '0x00000000000000000000000000000000000000c1';

/** Sets the bits directly from the definition: three times eleven bits of the hash. */
function computeBloom(value: `0x${string}`): `0x${string}` {
  const hash = BigInt(keccak256(value));
  let bloom = 0n;
  for (const pair of [0n, 1n, 2n]) bloom |= 1n << ((hash >> (256n - 16n * (pair + 1n))) & 2047n);
  return `0x${bloom.toString(16).padStart(512, '0')}`;
}

describe('headerHash', () => {
  it('of block 0 of mainnet is the published hash', () => {
    expect(headerHash(genesis)).toBe(genesis.hash);
  });

  it.each<Partial<RpcHeader>>([
    { baseFeePerGas: '0x0' },
    { gasUsed: '0x1' },
    { nonce: '0x0000000000000043' },
    { extraData: '0x' },
    { logsBloom: `0x01${'00'.repeat(255)}` },
  ])('changes with %j', (change) => {
    expect(headerHash({ ...genesis, ...change })).not.toBe(genesis.hash);
  });
});

describe('readHeaderByHash', () => {
  const answering = (header: RpcHeader | null) => ({ request: async () => header }) as unknown as PublicClient;

  it('returns the header of the requested hash, or null', async () => {
    expect(await readHeaderByHash(answering(genesis), 0n, genesis.hash)).toMatchObject({ hash: genesis.hash });
    expect(await readHeaderByHash(answering(null), 0n, genesis.hash)).toBeNull();
  });

  it('refuses another header of the same number, even with a correct hash of its own', async () => {
    const changed = { ...genesis, gasUsed: '0x1' } as const;
    const other = { ...changed, hash: headerHash(changed) };
    await expect(readHeaderByHash(answering(other), 0n, genesis.hash)).rejects.toThrow(InconsistentBlockError);
    expect(await readHeaderByHash(answering(other), 0n, other.hash)).toMatchObject({ hash: other.hash });
  });
});

describe('bloomMayContain', () => {
  const bits = bloomBits(address);

  it('finds a value that was added', () => {
    expect(bloomMayContain(computeBloom(address), bits)).toBe(true);
    expect(bloomMayContain(`0x${'ff'.repeat(256)}`, bits)).toBe(true);
  });

  it('excludes a value that was not added', () => {
    expect(bloomMayContain(`0x${'00'.repeat(256)}`, bits)).toBe(false);
    expect(bloomMayContain(computeBloom('0x00000000000000000000000000000000000000c2'), bits)).toBe(false);
  });
});
