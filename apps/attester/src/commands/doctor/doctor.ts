import { existsSync } from 'node:fs';
import { checkNamedNodes } from '@causeway/chain/named-nodes';
import {
  error,
  judgeConfiguration,
  makeReport,
  ok,
  runCheck,
  runChecks,
  warning,
  type Report,
} from '@causeway/service/doctor';
import { MemoryRecord, type Verifier } from '@causeway/verifier';
import { readConfiguration, type Configuration } from '../../configuration/configuration.js';
import { openVerifier } from '../../nodes.js';
import { isLocked } from '../../record/directory.js';
import { getRecordPath, readContent } from '../../record/record-file.js';
import { findLimitProblems } from '../../signing/contract-limits.js';
import { checkExchanges } from './check-exchanges.js';
import { checkKey } from './check-key.js';
import { CHECKS, type Finding } from './finding.js';

/**
 * `attester doctor`: checks everything that the attester depends on. Read-only; works while parts are down and while
 * the service runs.
 *
 * @param now epoch milliseconds.
 */
export async function examineAttester(variables: NodeJS.ProcessEnv, now: () => number): Promise<Report> {
  return makeReport(await examine(variables, now), CHECKS, now());
}

async function examine(variables: NodeJS.ProcessEnv, now: () => number): Promise<readonly Finding[]> {
  let configuration: Configuration;
  try {
    configuration = readConfiguration(variables);
  } catch (problem) {
    return judgeConfiguration('configuration', problem, 'attester --help lists all variables');
  }
  const verifier = openVerifier(configuration, new MemoryRecord());
  const isRunning = isLocked(configuration.dataDirectory);
  const findings = await runChecks<Finding['check']>({
    nodes: () => checkNamedNodes(verifier, configuration, now),
    key: () => checkKey(verifier, configuration),
    limits: () => checkLimits(verifier, configuration),
    record: () => checkRecord(configuration.dataDirectory, isRunning),
    exchanges: () => checkExchanges(configuration, isRunning),
  });
  return [ok('configuration', `valid, for ${configuration.environment}`), ...findings];
}

async function checkLimits(verifier: Verifier, { limits }: Configuration): Promise<readonly Finding[]> {
  if (limits.size === 0) return [warning('limits', 'there are none', 'set LIMITS_PER_HOUR and LIMITS_PER_DELIVERY')];
  return runCheck('limits', 'the limits of the contracts cannot be read', 'repair the nodes', async () => {
    const problems = await findLimitProblems(verifier, limits);
    if (problems.length === 0) return [ok('limits', `${[...limits.keys()].join(', ')}: below those of the contracts`)];
    return problems.map((problem) => error('limits', problem, 'correct it'));
  });
}

async function checkRecord(directory: string, isRunning: boolean): Promise<readonly Finding[]> {
  const path = getRecordPath(directory);
  const user = isRunning ? 'an attester uses it' : 'no attester uses it';
  if (!existsSync(path)) return [ok('record', `${path} will be made; ${user}`)];
  return runCheck('record', path, 'correct DATA_DIRECTORY', () => {
    const { entries, damagedLine } = readContent(path, () => undefined);
    return damagedLine === null
      ? [ok('record', `${path}: ${entries} entries; ${user}`)]
      : [error('record', `${path} is damaged in line ${damagedLine}`, 'run attester recover')];
  });
}
