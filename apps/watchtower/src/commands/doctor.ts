import { checkNamedNodes } from '@causeway/chain/named-nodes';
import {
  judgeConfiguration,
  makeReport,
  ok,
  runChecks,
  type Finding as AnyFinding,
  type Report,
} from '@causeway/service/doctor';
import { readConfiguration, type Configuration } from '../configuration/configuration.js';
import { openVerifier } from '../nodes.js';

/** The subjects of findings, in the order of the report. */
const CHECKS = ['configuration', 'nodes', 'clock', 'key', 'rehearsal', 'balances', 'state'] as const;

type Finding = AnyFinding<(typeof CHECKS)[number]>;

/**
 * `watchtower doctor`: checks everything that the watchtower depends on. Read-only; works while parts are down and
 * while the service runs.
 *
 * @param now epoch milliseconds.
 */
export async function examineWatchtower(variables: NodeJS.ProcessEnv, now: () => number): Promise<Report> {
  return makeReport(await examine(variables, now), CHECKS, now());
}

async function examine(variables: NodeJS.ProcessEnv, now: () => number): Promise<readonly Finding[]> {
  let configuration: Configuration;
  try {
    configuration = readConfiguration(variables);
  } catch (problem) {
    return judgeConfiguration('configuration', problem, 'watchtower --help lists all variables');
  }
  const verifier = openVerifier(configuration);
  const findings = await runChecks<Finding['check']>({
    nodes: () => checkNamedNodes(verifier, configuration, now),
  });
  return [ok('configuration', `valid, for ${configuration.environment}`), ...findings];
}
