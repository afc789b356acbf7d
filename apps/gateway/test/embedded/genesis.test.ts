import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PREDEPLOYS } from '@causeway/partner-chain';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEmbeddedBackend } from '../../src/backends/embedded/embedded-backend.js';

/** The genesis on the gateway's page. */
function documentedGenesis(): string {
  const page = readFileSync(new URL('../../../../docs/chain/gateway.md', import.meta.url), 'utf8');
  const [, json] = /```json\n([\s\S]*?)```/.exec(page.split('## The genesis of a chain')[1] ?? '') ?? [];
  if (json === undefined) throw new Error('The page shows no genesis');
  return json;
}

describe('the genesis of a chain', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'causeway-genesis-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const open = (genesis: string | null, chainId = 327) => {
    const file = join(directory, 'genesis.json');
    if (genesis !== null) writeFileSync(file, genesis);
    return createEmbeddedBackend({
      chainId,
      dataDirectory: join(directory, 'chain'),
      genesisFile: genesis === null ? null : file,
      blockIntervalMs: 0,
      clientVersion: 'Causeway/test',
    });
  };

  it('is required for the mainnet, and works as documented for operators', async () => {
    await expect(open(null)).rejects.toThrow('GENESIS: chain 327 needs a genesis file');
    const backend = await open(documentedGenesis());
    try {
      const ask = (method: string, ...params: unknown[]) => backend.request(method, params);
      expect(await ask('eth_chainId')).toBe('0x147');
      expect(await ask('eth_getBlockByNumber', '0x0', false)).toMatchObject({ timestamp: '0x6955b900' });
      const [rich, contract] = [
        '0x52908400098527886e0f7030069857d2e4169ee7',
        '0x8617e340b3d01fa5f11f306f4090fd50e238070d',
      ];
      expect(BigInt((await ask('eth_getBalance', rich, 'latest')) as string)).toBe(10n ** 24n);
      expect(await ask('eth_getBalance', contract, 'latest')).toBe('0xde0b6b3a7640000');
      expect(await ask('eth_getCode', contract, 'latest')).toBe('0x5f5ff3');
    } finally {
      await backend.close();
    }
  });

  it('must be the same at every later start, without dust and unknown fields', async () => {
    await (await open(documentedGenesis())).close();
    await (await open(documentedGenesis())).close();
    await expect(open('{}')).rejects.toThrow('holds another chain');
    await expect(open('{"alloc":{"0x52908400098527886E0F7030069857D2E4169EE7":{"balance":"1"}}}')).rejects.toThrow(
      'must be a multiple of 10000000000 wei',
    );
    await expect(open('{"gasLimit":1}')).rejects.toThrow('GENESIS');
  });

  it('of a development chain has the contracts that tools expect', async () => {
    const backend = await open(null, 8901);
    try {
      for (const address of Object.keys(PREDEPLOYS)) {
        expect(await backend.request('eth_getCode', [address.toLowerCase(), 'latest'])).toBe(PREDEPLOYS[address]?.code);
      }
      expect(Object.keys(PREDEPLOYS)).toContain('0x4e59b44847b379578588920cA78FbF26c0B4956C');
    } finally {
      await backend.close();
    }
  });
});
