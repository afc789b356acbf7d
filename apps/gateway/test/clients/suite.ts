import { describe } from '@jest/globals';
import { castSuite } from './cast-suite.js';
import type { ClientTarget } from './target.js';
import { ethersSuite } from './ethers-suite.js';
import { hardhatSuite } from './hardhat-suite.js';
import { viemSuite } from './viem-suite.js';
import { web3Suite } from './web3-suite.js';

/**
 * Everyday use of a chain through the clients' ordinary entry points: send, deploy, read, estimate, query logs, poll
 * filters and subscribe. Clients have only the settings of a typical user, so a failure here would affect users.
 *
 * @param getTarget called when the tests run, after the `beforeAll` of the test file.
 */
export function clientSuite(name: string, getTarget: () => ClientTarget): void {
  describe(`${name}: everyday use`, () => {
    viemSuite(getTarget);
    ethersSuite(getTarget);
    web3Suite(getTarget);
    hardhatSuite(getTarget);
    castSuite(getTarget);
  });
}
