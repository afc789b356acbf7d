import { existsSync } from 'node:fs';
import { MemoryRecord, type Verifier } from '@causeway/verifier';
import type { Configuration } from '../../configuration/configuration.js';
import { openVerifier } from '../../nodes.js';
import { isLocked } from '../../record/directory.js';
import { getRecordPath, readContent } from '../../record/record-file.js';
import { findLimitProblems } from '../../signing/contract-limits.js';
import { checkExchanges } from './check-exchanges.js';
import { checkKey } from './check-key.js';
import { checkNodes } from './check-nodes.js';
import { bad, formatReport, ok, toReason, type Finding } from './finding.js';

/**
 * `attester doctor`: checks everything that the attester depends on, and prints what to do. It writes nothing, and
 * works while parts are down and while the service runs.
 *
 * @returns whether there is no error.
 */
export async function runDoctor(configuration: Configuration, print: (text: string) => void): Promise<boolean> {
  const verifier = openVerifier(configuration, new MemoryRecord());
  const { dataDirectory } = configuration;
  const isRunning = isLocked(dataDirectory);
  const findings = [
    ...(await checkNodes(verifier, configuration, Date.now)),
    ...(await checkKey(verifier, configuration)),
    ...(await checkLimits(verifier, configuration)),
    checkRecord(dataDirectory, isRunning),
    ...(await checkExchanges(configuration, isRunning)),
  ];
  print(formatReport(findings));
  return findings.every(({ level }) => level !== 'error');
}

async function checkLimits(verifier: Verifier, { limits }: Configuration): Promise<readonly Finding[]> {
  if (limits.size === 0)
    return [bad('warning', 'limits', 'there are none', 'set LIMITS_PER_HOUR and LIMITS_PER_DELIVERY')];
  try {
    const problems = await findLimitProblems(verifier, limits);
    if (problems.length === 0) return [ok('limits', `${[...limits.keys()].join(', ')}: below those of the contracts`)];
    return problems.map((problem) => bad('error', 'limits', problem, 'correct it'));
  } catch (error) {
    return [bad('error', 'limits', `those of the contracts cannot be read: ${toReason(error)}`, 'repair the nodes')];
  }
}

function checkRecord(directory: string, isRunning: boolean): Finding {
  const path = getRecordPath(directory);
  const user = isRunning ? 'an attester uses it' : 'no attester uses it';
  if (!existsSync(path)) return ok('record', `${path} will be made; ${user}`);
  try {
    const { entries, damagedLine } = readContent(path, () => undefined);
    if (damagedLine === null) return ok('record', `${path}: ${entries} entries; ${user}`);
    return bad('error', 'record', `${path} is damaged in line ${damagedLine}`, 'run attester recover');
  } catch (error) {
    return bad('error', 'record', `${path}: ${toReason(error)}`, 'correct DATA_DIRECTORY');
  }
}
