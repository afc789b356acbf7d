import { describeProblem, error, ok, toLine } from '@causeway/service/doctor';
import type { UpgradeFinding } from './judge-upgrade.js';

const TIMEOUT_MS = 5_000;

/** Asks an API for the bridge's health. */
export async function checkHealth(apiUrl: string): Promise<UpgradeFinding> {
  const address = `${apiUrl.replace(/\/$/, '')}/health`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return ok('health', `${address} is healthy`);
    const body = toLine(await response.text());
    return error('health', `${address} answers ${response.status} ${body}`, 'repair it before you upgrade');
  } catch (problem) {
    return error(
      'health',
      `${address} does not answer: ${describeProblem(problem)}`,
      'start the API, or correct --api',
    );
  }
}
