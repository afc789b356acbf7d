import { waitUntil } from '@causeway/test-kit/test-run';
import type { Environment } from './environment.js';

/**
 * Kills the relayer and reconciles the database, so that transactions of its wallet that another program sent do not
 * keep the next relayer waiting.
 */
export async function reconcile({
  killRelayer,
  relayerCommand,
}: Pick<Environment, 'killRelayer' | 'relayerCommand'>): Promise<void> {
  await killRelayer();
  for (const words of [['reconcile'], ['reconcile', 'finish']])
    await waitUntil(`relayer ${words.join(' ')} ends`, async () => {
      const { code, output } = await relayerCommand(...words);
      // The lease of the killed relayer expires first.
      if (code !== 0 && !output.includes('holds the lease')) throw new Error(output);
      return code === 0;
    });
}
