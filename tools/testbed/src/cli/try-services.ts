import { rmSync } from 'node:fs';
import { parseEther } from 'viem';
import { User } from '../bridge/user.js';
import { waitUntil } from '@causeway/test-kit/test-run';
import { THIS_RELEASE } from '../services/bridge-services.js';
import { startFleet, type Fleet } from '../services/fleet.js';
import { buildImages, canRunImages, THIS_RELEASE_IN_IMAGES } from '../services/image.js';
import { describeProcesses } from '../services/report.js';
import { servicesCommand, type ServicesFlags } from './commands.js';
import { prepareTerminal, print, printError, untilInterrupted } from './terminal.js';

/** Runs the bridge as services until a signal, or with `--stop` until the check has ended. */
export async function tryServices(): Promise<never> {
  prepareTerminal();
  const flags = servicesCommand().parse().opts<ServicesFlags>();
  const interrupted = untilInterrupted();
  const startedAtMs = Date.now();
  const elapsed = () => `${((Date.now() - startedAtMs) / 1_000).toFixed(1).padStart(5)} s`;
  let fleet: Fleet | undefined;
  let isClean = true;
  try {
    const isFromImages = flags.bundles !== true && canRunImages();
    if (isFromImages) {
      print(`${elapsed()}  building the images of the services`);
      await buildImages();
    }
    fleet = await startFleet({
      release: isFromImages ? THIS_RELEASE_IN_IMAGES : THIS_RELEASE,
      ...(flags.directory === undefined ? {} : { directory: flags.directory }),
      onStep: (step) => print(`${elapsed()}  ${step}`),
    });
    print(`${elapsed()}  depositing 1 ETH through the load balancer`);
    const id = await transfer(fleet);
    print(`${elapsed()}  operation ${id} is COMPLETED\n`);
    print(await describeProcesses(fleet));
    if (isFromImages) print('Each service of the bridge runs in its image, with a read-only root.\n');
    describe(fleet);
    if (flags.stop !== true) {
      print('\nCtrl-C stops everything.');
      const end = await Promise.race([fleet.processes.broken, aborted(interrupted)]);
      if (end !== null) printError(`\n${end}`);
      isClean = end === null;
    }
  } catch (error) {
    isClean = false;
    printError(error instanceof Error ? error.message : String(error));
  }
  print('Stopping.');
  const failures = (await fleet?.stop()) ?? [];
  for (const sentence of failures) printError(sentence);
  if (fleet !== undefined && flags.directory === undefined) {
    // The folder contains a key. Its logs are needed only after a failure.
    if (isClean && failures.length === 0) rmSync(fleet.directory, { recursive: true, force: true });
    else printError(`The logs and keys of this run are in ${fleet.directory}`);
  }
  process.exit(isClean ? 0 : 1);
}

/** Makes the first transfer and returns the operation's id. */
async function transfer({ book, ethereum, partner, accounts, apiUrl }: Fleet): Promise<string> {
  const user = new User({ book, ethereum, partner, stack: { apiUrl: `${apiUrl}/api/v1` } }, accounts.alice);
  const { originTxHash } = await user.deposit('ETH', parseEther('1'), accounts.alice.address);
  let id = '';
  await waitUntil('the deposit is COMPLETED', async () => {
    const answer = await fetch(`${apiUrl}/api/v1/bridge/status?originTxHash=${originTxHash}`);
    const body = (await answer.json()) as { readonly id: string; readonly status: string };
    id = body.id;
    return body.status === 'COMPLETED';
  });
  return id;
}

function describe({ apiUrl, gatewayUrl, monitoring, directory }: Fleet): void {
  const lines = {
    API: `${apiUrl}/api/v1`,
    'partner chain': gatewayUrl,
    Prometheus: monitoring.prometheusUrl,
    Alertmanager: monitoring.alertmanagerUrl,
    'logs and files': directory,
  };
  for (const [name, value] of Object.entries(lines)) print(`${name.padEnd(15)} ${value}`);
}

async function aborted(signal: AbortSignal): Promise<null> {
  if (signal.aborted) return null;
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
}
