import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '@causeway/test-kit/test-run';
import type { Supervisor } from '../processes/supervisor.js';
import type { RunningService } from './bridge-services.js';
import { ALERTMANAGER_CONFIGURATION, prometheusConfiguration } from './configuration-files.js';
import { findProgram } from './debian-programs.js';
import { findUser, makeFolder, writeOwned } from './service-user.js';

const RULES = new URL('../../../../deploy/alerts.yml', import.meta.url);

/** URLs of Prometheus and Alertmanager. */
export interface Monitoring {
  readonly prometheusUrl: string;
  readonly alertmanagerUrl: string;
  /** The bridge's alert rules, as text. */
  readonly rules: string;
  /** Replaces Prometheus's alert rules. Rejects when Prometheus refuses them. */
  readonly useRules: (rules: string) => Promise<void>;
}

/** Starts Prometheus with the alert rules of the bridge, and Alertmanager. */
export function startMonitoring(
  processes: Supervisor,
  directory: string,
  ports: Readonly<Record<'prometheus' | 'alertmanager', number>>,
  services: readonly RunningService[],
): Monitoring {
  const user = findUser('prometheus');
  const folder = makeFolder(join(directory, 'monitoring'), user);
  const rules = readFileSync(RULES, 'utf8');
  const file = writeOwned(folder, 'alerts.yml', rules, user);
  const listen = (port: number) => `--web.listen-address=127.0.0.1:${port}`;
  const configuration = prometheusConfiguration(file, ports.alertmanager, services);
  processes.start({
    name: 'prometheus',
    module: findProgram('prometheus'),
    args: [
      `--config.file=${writeOwned(folder, 'prometheus.yml', configuration, user)}`,
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
      '--web.enable-lifecycle',
      listen(ports.prometheus),
    ],
    env: {},
    user,
  });
  processes.start({
    name: 'alertmanager',
    module: findProgram('prometheus-alertmanager'),
    args: [
      `--config.file=${writeOwned(folder, 'alertmanager.yml', ALERTMANAGER_CONFIGURATION, user)}`,
      `--storage.path=${join(folder, 'alertmanager')}`,
      `--cluster.listen-address=`,
      listen(ports.alertmanager),
    ],
    env: {},
    user,
  });
  const prometheusUrl = `http://127.0.0.1:${ports.prometheus}`;
  return {
    prometheusUrl,
    alertmanagerUrl: `http://127.0.0.1:${ports.alertmanager}`,
    rules,
    useRules: async (others) => {
      rmSync(file);
      writeOwned(folder, 'alerts.yml', others, user);
      const answer = await fetch(`${prometheusUrl}/-/reload`, { method: 'POST' });
      if (!answer.ok) throw new Error(`Prometheus refuses the rules: ${await answer.text()}`);
    },
  };
}

/** Waits until Prometheus and Alertmanager answer. */
export async function untilMonitored({ prometheusUrl, alertmanagerUrl }: Monitoring): Promise<void> {
  for (const url of [prometheusUrl, alertmanagerUrl])
    await waitUntil(`${url} is ready`, async () => (await fetch(`${url}/-/ready`)).ok);
}
