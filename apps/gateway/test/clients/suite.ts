import { describe } from '@jest/globals';
import { castSuite } from './cast-suite.js';
import type { ClientTarget } from './target.js';
import { ethersSuite } from './ethers-suite.js';
import { hardhatSuite } from './hardhat-suite.js';
import { viemSuite } from './viem-suite.js';
import { web3Suite } from './web3-suite.js';

/**
 * The everyday use of a chain, through the ordinary entry points of the clients: people send, deploy, read, estimate,
 * look for logs, poll filters and subscribe. Nothing is set that a user would not set; what fails here fails for them.
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
