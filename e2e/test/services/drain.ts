import { isLong } from '@causeway/test-kit';
import { THIS_RELEASE, type Fleet } from '@causeway/testbed/services';
import { describe, expect, it } from '@jest/globals';
import type { Operations } from './operations.js';
import { prepareRequests } from './requests.js';
import { Traffic } from './traffic.js';

const PER_SECOND = 500;
const MINUTE_MS = 60_000;

/** Sends SIGTERM to each API and gateway while clients send as many requests as that service can handle here. */
export function describeDrain(getFleet: () => Fleet, getOperations: () => Operations): void {
  if (!isLong) return;
  describe(`under ${PER_SECOND} requests a second`, () => {
    it.each(['api', 'gateway'] as const)(
      'every %s restarts after SIGTERM without a lost request',
      async (service) => {
        const fleet = getFleet();
        const url = service === 'api' ? fleet.apiUrl : fleet.gatewayUrl;
        const requests = await prepareRequests(fleet, getOperations().firstTxHash);
        const traffic = new Traffic(
          requests.filter((each) => each.url.startsWith(url)),
          PER_SECOND,
        );
        const startedAtMs = performance.now();
        for (const name of fleet.listReplaceable().filter((each) => each.startsWith(service)))
          await fleet.replace(name, THIS_RELEASE);
        const seconds = (performance.now() - startedAtMs) / 1_000;
        const sent = await traffic.stop();
        process.stderr.write(`${service}: ${sent} requests, ${(sent / seconds).toFixed(0)} a second\n`);
        expect(traffic.failures).toEqual([]);
      },
      5 * MINUTE_MS,
    );
  });
}
