import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestGateway, type TestGateway } from '../processes/open-test-gateway.js';

/** A gateway over a chain of its own. */
export type EmbeddedGateway = TestGateway;

/**
 * Opens the gateway over a new chain, which makes a block for every transaction.
 *
 * @param variables environment variables on top.
 */
export async function openEmbeddedGateway(variables: Readonly<Record<string, string>> = {}): Promise<EmbeddedGateway> {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-gateway-'));
  const gateway = await openTestGateway({
    BACKEND: 'embedded',
    DATA_DIRECTORY: directory,
    BLOCK_INTERVAL_MS: '0',
    ...variables,
  });
  return {
    ...gateway,
    close: async () => {
      await gateway.close();
      rmSync(directory, { recursive: true });
    },
  };
}
