import { makeReport, runChecks, type Report } from '@causeway/service/doctor';
import { checkAccounts, checkKeystores } from './check-accounts.js';
import { checkContracts, checkOffices, checkTokens } from './check-contracts.js';
import { checkDatabase } from './check-database.js';
import { checkGateway, checkNodes, checkServices } from './check-services.js';
import { STEPS, type Step } from './finding.js';
import { openWalk, type DoctorOptions } from './walk.js';

/**
 * Checks each step of docs/operate/setup.md, from the accounts to the first transfer, without writing anything. Each
 * missing step is a finding with the command that completes it.
 *
 * @param now the clock of this machine, in epoch milliseconds.
 */
export async function examineBridge(options: DoctorOptions, now: () => number): Promise<Report> {
  const walk = openWalk(options, now);
  const findings = await runChecks<Step>({
    accounts: () => checkAccounts(walk),
    tokens: () => checkTokens(walk),
    contracts: () => checkContracts(walk),
    offices: () => checkOffices(walk),
    database: () => checkDatabase(walk),
    nodes: () => checkNodes(walk),
    services: () => checkServices(walk),
  });
  // After the other checks, which a limiting gateway would refuse after this burst.
  const gateway = await runChecks<Step>({ gateway: () => checkGateway(walk) });
  // Last, because decryption blocks this thread for seconds, in which answers would be late and connections close.
  const keystores = await runChecks<Step>({ keystores: () => checkKeystores(walk) });
  return makeReport([...findings, ...gateway, ...keystores], STEPS, now());
}
