import { DIRECTIONS, type ConfigResponse } from '@causeway/protocol';
import { getConfig, getHealth, getLimits, type Bridge } from '@causeway/sdk';
import { error, ok, runCheck, warning } from '@causeway/service/doctor';
import { describeDirection } from '../output/words.js';
import type { DoctorFinding } from './finding.js';

/** A signature of a deposit or an intent holds half an hour; a clock beyond this makes it too short. */
const MOST_SKEW_MS = 300_000;
/** Clocks of two machines, and the way of the answer. */
const USUAL_SKEW_MS = 10_000;

/** Asks the API for its configuration, and compares it with the environment and the address book of the options. */
export async function checkApi(
  bridge: Bridge,
  signal: AbortSignal,
): Promise<{ readonly config: ConfigResponse | null; readonly findings: readonly DoctorFinding[] }> {
  let config: ConfigResponse | null = null;
  const findings = await runCheck(
    'api',
    bridge.apiUrl,
    'Check the address of the API, and the address book.',
    async () => {
      const begun = performance.now();
      config = await getConfig(bridge, { signal });
      return [
        ok(
          'api',
          `${bridge.apiUrl} is of ${config.environment} and answers in ${Math.round(performance.now() - begun)} ms`,
        ),
      ];
    },
  );
  return { config, findings };
}

/** Components of the bridge that do not work, and chains that its operators have halted. */
export async function checkHealth(bridge: Bridge, signal: AbortSignal): Promise<readonly DoctorFinding[]> {
  return runCheck('api', 'the health of the bridge', 'Try again shortly.', async () => {
    const { status, components, halts = [] } = await getHealth(bridge, { signal });
    const broken = Object.entries(components).filter(
      ([, { connected, problem }]) => !connected || problem !== undefined,
    );
    const nextStep = 'Transfers that begin now are delayed and not lost.';
    return [
      ...(status === 'healthy'
        ? [ok('api', 'the bridge is healthy')]
        : [warning('api', 'the bridge is unhealthy', nextStep)]),
      ...broken.map(([name, { problem }]) => warning('api', `${name}: ${problem ?? 'does not answer'}`, nextStep)),
      ...halts.map(({ chainId, since }) =>
        warning('api', `deliveries on chain ${chainId} are halted since ${since}`, nextStep),
      ),
    ];
  });
}

/** Compares the clock of this machine with that of the API. */
export async function checkClock({ apiUrl, timeoutMs }: Bridge): Promise<readonly DoctorFinding[]> {
  return runCheck('clock', 'the clock', 'Check the address of the API.', async () => {
    const { headers } = await fetch(`${apiUrl}/bridge/config`, { signal: AbortSignal.timeout(timeoutMs) });
    const theirs = Date.parse(headers.get('date') ?? '');
    if (Number.isNaN(theirs)) return [warning('clock', 'the API shows no time', 'Compare the clock yourself.')];
    const skew = Date.now() - theirs;
    const words = `the clock is ${Math.abs(Math.round(skew / 1_000))} s ${skew < 0 ? 'behind' : 'ahead of'} that of the API`;
    const nextStep = 'Set the clock, for example by NTP: signatures have a deadline.';
    if (Math.abs(skew) > MOST_SKEW_MS) return [error('clock', words, nextStep)];
    return [Math.abs(skew) > USUAL_SKEW_MS ? warning('clock', words, nextStep) : ok('clock', words)];
  });
}

/** Directions and assets in which nothing begins or is delivered now. */
export async function checkLimits(bridge: Bridge, signal: AbortSignal): Promise<readonly DoctorFinding[]> {
  return runCheck('limits', 'the limits', 'Try again shortly.', async () => {
    const limits = await getLimits(bridge, { signal });
    return DIRECTIONS.flatMap((direction) => {
      const { paused, undeliverableReason, assets } = limits[direction];
      const way = describeDirection(direction);
      const problems = [
        ...(paused ? [warning('limits', `${way}: nothing can begin`, 'Try again later.')] : []),
        ...(undeliverableReason === null
          ? []
          : [
              warning(
                'limits',
                `${way}: nothing is delivered (${undeliverableReason})`,
                'Transfers are delayed and not lost.',
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
