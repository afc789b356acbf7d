import { createHash } from 'node:crypto';
import { openSigner } from '@causeway/chain/signers';
import { error, ok, runCheck, warning } from '@causeway/service/doctor';
import type { Configuration } from '../../configuration/configuration.js';
import { compareSettings, readOwnSettings } from '../../exchange/compare-settings.js';
import { ExchangeClient } from '../../exchange/exchange-client.js';
import type { Finding } from './finding.js';

/**
 * Calls each exchange as the service does, reads how many processes with this key it sees, and compares its settings.
 *
 * @param isRunning whether the service runs with this record. The exchange then sees the service and the doctor.
 */
export async function checkExchanges(configuration: Configuration, isRunning: boolean): Promise<readonly Finding[]> {
  const { signer: settings, address, exchangeUrls } = configuration;
  const signer = await openSigner(settings, address, () => undefined).catch(() => null);
  if (signer === null)
    return [warning('exchanges', 'they were not called: the key does not sign', 'repair the signer')];
  const end = new AbortController();
  const found = await Promise.all(
    exchangeUrls.map((url) => {
      const client = new ExchangeClient(url, signer, makeInstance(address), end.signal);
      return runCheck('exchanges', client.name, 'correct EXCHANGE_URLS, or start it', async () => {
        const { instances, settings: theirs } = await client.work(0);
        const others = instances - (isRunning ? 2 : 1);
        const differences = compareSettings(readOwnSettings(configuration), theirs).map((difference) =>
          warning('exchanges', `${client.name}: ${difference}`, 'agree with the operator of the relayer'),
        );
        if (others <= 0) return [ok('exchanges', `${client.name} answers`), ...differences];
        const finding = `${client.name} sees ${others} more processes with this key`;
        return [error('exchanges', finding, 'end them: two copies of a key cannot see each other'), ...differences];
      });
    }),
  );
  return found.flat();
}

/** A constant id, so that several runs of the doctor count once. */
function makeInstance(address: string): string {
  const digits = createHash('sha256').update(`doctor ${address}`).digest('hex');
  const [a, b, c, d, e] = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(13, 16),
    digits.slice(17, 20),
    digits.slice(20, 32),
  ];
  return `${a}-${b}-4${c}-8${d}-${e}`;
}
