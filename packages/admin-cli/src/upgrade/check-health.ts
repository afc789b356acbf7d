import { describeLine } from '../doctor/walk.js';
import { error, ok } from '../doctor/finding.js';
import type { UpgradeFinding } from './judge-upgrade.js';

const TIMEOUT_MS = 5_000;

/** Asks an API for the health of the bridge. */
export async function checkHealth(apiUrl: string): Promise<UpgradeFinding> {
  const address = `${apiUrl.replace(/\/$/, '')}/health`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return ok('health', `${address} is healthy`);
    const body = (await response.text()).slice(0, 300).replaceAll(/[\s\p{Cc}]+/gu, ' ');
    return error('health', `${address} answers ${response.status} ${body}`, 'mend that before you upgrade');
  } catch (problem) {
    return error('health', `${address} does not answer: ${describeLine(problem)}`, 'start the API, or correct --api');
  }
}
