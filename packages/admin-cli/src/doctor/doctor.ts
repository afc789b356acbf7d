import { checkAccounts, checkKeystores } from './check-accounts.js';
import { checkContracts, checkOffices, checkTokens } from './check-contracts.js';
import { checkDatabase } from './check-database.js';
import { checkGateway, checkNodes, checkServices } from './check-services.js';
import type { Finding } from './finding.js';
import { openWalk, type DoctorOptions } from './walk.js';

/**
 * Walks from the accounts to the first transfer, as docs/testnet.md does. It writes nothing, and works with nothing
 * there: each missing thing is a finding with the command that makes it.
 *
 * @param now the clock of this machine, in epoch milliseconds.
 */
export async function examineBridge(options: DoctorOptions, now: () => number): Promise<readonly Finding[]> {
  const walk = openWalk(options, now);
  const checks = [checkAccounts, checkTokens, checkContracts, checkOffices, checkDatabase, checkNodes, checkServices];
  const findings = await Promise.all(checks.map((check) => check(walk)));
  // After the others, which a gateway that limits this process would refuse because of the burst.
  const gateway = await checkGateway(walk);
  // Last: decryption keeps this thread busy for seconds, in which answers would be late, and connections closed.
  return [...findings.flat(), ...gateway, ...(await checkKeystores(walk))];
}
