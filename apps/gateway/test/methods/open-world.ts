import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend, BackendStatus } from '../../src/backends/backend.js';
import { createEmbeddedBackend } from '../../src/backends/embedded/embedded-backend.js';
import { createUpstreamBackend } from '../../src/backends/upstream/upstream-backend.js';
import { createMethods, type CreatedMethods } from '../../src/methods/create-methods.js';
import { startAnvil, type Anvil } from '../processes/start-anvil.js';

/** A real chain and the methods over it. */
export interface World extends CreatedMethods {
  readonly backend: Backend;
  /** Where the chain is an anvil. */
  readonly anvil: Anvil | null;
  readonly close: () => Promise<void>;
}

export const CHAIN_ID = 8901;
/** Few, so that a short chain has final blocks. */
export const CONFIRMATIONS = 3;
const INFO = { title: 'Partner chain', version: '1.0.0' };

/** Opens a chain that makes a block for each transaction; the well-known accounts have money on both kinds. */
export async function openWorld(kind: BackendStatus['kind']): Promise<World> {
  return kind === 'embedded' ? await openEmbedded() : await openUpstream();
}

async function openEmbedded(): Promise<World> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'causeway-methods-'));
  const backend = await createEmbeddedBackend({
    chainId: CHAIN_ID,
    dataDirectory,
    genesisFile: null,
    blockIntervalMs: 0,
    confirmations: CONFIRMATIONS,
    clientVersion: 'Causeway/test',
  });
  return worldOf(backend, null, async () => {
    await backend.close();
    rmSync(dataDirectory, { recursive: true });
  });
}

async function openUpstream(): Promise<World> {
  const anvil = await startAnvil(['--chain-id', String(CHAIN_ID)]);
  const backend = await createUpstreamBackend({
    urls: [anvil.url],
    chainId: CHAIN_ID,
    pollIntervalMs: 50,
    confirmations: CONFIRMATIONS,
  });
  return worldOf(backend, anvil, async () => {
    await backend.close();
    await anvil.kill();
  });
}

function worldOf(backend: Backend, anvil: Anvil | null, end: () => Promise<void>): World {
  const created = createMethods(backend, INFO, { warn: () => undefined });
  const close = async () => {
    created.filters.close();
    await end();
  };
  return { ...created, backend, anvil, close };
}
