import { DIRECTIONS, type ConfigResponse } from '@causeway/protocol';
import { getConfig, getHealth, getLimits, type Bridge, type ReadOptions } from '@causeway/sdk';
import { error, ok, runCheck, warning } from '@causeway/service/doctor';
import { describeDirection } from '../output/words.js';
import type { DoctorFinding } from './finding.js';

/** Signatures for deposits and intents expire after half an hour. A larger skew leaves too little of that time. */
const MOST_SKEW_MS = 300_000;
/** Covers the usual difference of two machines' clocks and the response time. */
const USUAL_SKEW_MS = 10_000;

/**
 * Compares the API's configuration with the environment and the address book given by options.
 *
 * @param proxyAdvice see `adviseProxy`.
 */
export async function checkApi(
  bridge: Bridge,
  reads: ReadOptions,
  proxyAdvice: string,
): Promise<{ readonly config: ConfigResponse | null; readonly findings: readonly DoctorFinding[] }> {
  let config: ConfigResponse | null = null;
  const findings = await runCheck(
    'api',
    bridge.apiUrl,
    `Check the address of the API, and the address book.${proxyAdvice}`,
    async () => {
      const begun = performance.now();
      config = await getConfig(bridge, reads);
      return [
        ok(
          'api',
          `${bridge.apiUrl} serves ${config.environment} and answers in ${Math.round(performance.now() - begun)} ms`,
        ),
      ];
    },
  );
  return { config, findings };
}

/** Reports unhealthy components of the bridge and chains that its operators have halted. */
export async function checkHealth(bridge: Bridge, reads: ReadOptions): Promise<readonly DoctorFinding[]> {
  return runCheck('api', 'the health of the bridge', 'Try again shortly.', async () => {
    const { status, components, halts = [] } = await getHealth(bridge, reads);
    const broken = Object.entries(components).filter(
      ([, { connected, problem }]) => !connected || problem !== undefined,
    );
    const nextStep = 'A transfer that begins now is delayed, not lost.';
    return [
      ...(status === 'healthy'
        ? [ok('api', 'the bridge is healthy')]
        : [warning('api', 'the bridge is unhealthy', nextStep)]),
      ...broken.map(([name, { problem }]) => warning('api', `${name}: ${problem ?? 'does not answer'}`, nextStep)),
      ...halts.map(({ chainId, since }) =>
        warning('api', `deliveries on chain ${chainId} have been halted since ${since}`, nextStep),
      ),
    ];
  });
}

/** Compares the clock of this machine with that of the API. */
export async function checkClock({
  apiUrl,
  timeoutMs,
  fetch: send = fetch,
}: Bridge): Promise<readonly DoctorFinding[]> {
  return runCheck('clock', 'the clock', 'Check the address of the API.', async () => {
    const { headers } = await send(`${apiUrl}/bridge/config`, { signal: AbortSignal.timeout(timeoutMs) });
    const theirs = Date.parse(headers.get('date') ?? '');
    if (Number.isNaN(theirs))
      return [warning('clock', 'the API sends no Date header', 'Compare the clock with another source.')];
    const skew = Date.now() - theirs;
    const words = `the clock is ${Math.abs(Math.round(skew / 1_000))} s ${skew < 0 ? 'behind' : 'ahead of'} that of the API`;
    const nextStep = 'Set the clock, for example with NTP: signatures have a deadline.';
    if (Math.abs(skew) > MOST_SKEW_MS) return [error('clock', words, nextStep)];
    return [Math.abs(skew) > USUAL_SKEW_MS ? warning('clock', words, nextStep) : ok('clock', words)];
  });
}

/** Reports directions and assets in which transfers cannot begin or be delivered. */
export async function checkLimits(bridge: Bridge, reads: ReadOptions): Promise<readonly DoctorFinding[]> {
  return runCheck('limits', 'the limits', 'Try again shortly.', async () => {
    const limits = await getLimits(bridge, reads);
    return DIRECTIONS.flatMap((direction) => {
      const { paused, undeliverableReason, assets } = limits[direction];
      const way = describeDirection(direction);
      const problems = [
        ...(paused ? [warning('limits', `${way}: transfers cannot begin`, 'Try again later.')] : []),
        ...(undeliverableReason === null
          ? []
          : [
              warning(
                'limits',
                `${way}: transfers are not delivered (${undeliverableReason})`,
                'Transfers are delayed, not lost.',
              ),
            ]),
        ...assets
          .filter(({ mayBegin }) => !mayBegin)
          .map(({ token }) => warning('limits', `${way}: ${token} is closed`, 'Use another asset.')),
      ];
      const available = assets.map((each) => `${each.availableAmountFormatted} ${each.token}`).join(', ');
      return problems.length > 0 ? problems : [ok('limits', `${way}: ${available} available`)];
    });
  });
}
