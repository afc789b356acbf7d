import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnvil, type Anvil } from '@causeway/test-kit';
import type { Backend, BackendStatus } from '../../src/backends/backend.js';
import { createEmbeddedBackend } from '../../src/backends/embedded/embedded-backend.js';
import { createUpstreamBackend } from '../../src/backends/upstream/upstream-backend.js';
import { createMethods, type MethodRegistry } from '../../src/methods/registry.js';

/** A real chain and the methods over it. */
export interface TestChain extends MethodRegistry {
  readonly backend: Backend;
  /** Set if the chain is an anvil. */
  readonly anvil: Anvil | null;
  readonly close: () => Promise<void>;
}

export const CHAIN_ID = 8901;
/** Few, so that a short chain has final blocks. */
export const CONFIRMATIONS = 3;
const INFO = { title: 'Partner chain', version: '1.0.0' };

/** Opens a chain that makes a block for each transaction; the well-known accounts have money on both kinds. */
export async function openChain(kind: BackendStatus['kind']): Promise<TestChain> {
  return kind === 'embedded' ? await openEmbedded() : await openUpstream();
}

async function openEmbedded(): Promise<TestChain> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'causeway-methods-'));
  const backend = await createEmbeddedBackend({
    chainId: CHAIN_ID,
    dataDirectory,
    genesisFile: null,
    blockIntervalMs: 0,
    confirmations: CONFIRMATIONS,
    clientVersion: 'Causeway/test',
  });
  return toTestChain(backend, null, async () => {
    await backend.close();
    rmSync(dataDirectory, { recursive: true });
  });
}

async function openUpstream(): Promise<TestChain> {
  const anvil = await startAnvil({ chainId: CHAIN_ID });
  const backend = await createUpstreamBackend({
    urls: [anvil.url],
    chainId: CHAIN_ID,
    pollIntervalMs: 50,
    confirmations: CONFIRMATIONS,
  });
  return toTestChain(backend, anvil, async () => {
    await backend.close();
    await anvil.stop();
  });
}

function toTestChain(backend: Backend, anvil: Anvil | null, end: () => Promise<void>): TestChain {
  const created = createMethods(backend, INFO, { warn: () => undefined });
  const close = async () => {
    created.filters.close();
    await end();
  };
  return { ...created, backend, anvil, close };
}
