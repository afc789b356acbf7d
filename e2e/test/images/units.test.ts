import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encryptKeystore, waitUntil } from '@causeway/test-kit';
import type { TestEnvironment } from '../temporary-environment.js';
import { SystemdMachine } from './systemd-machine.js';
import {
  ATTESTER_KEY,
  DEPLOY,
  environmentForImages,
  isReady,
  listRootOptions,
  listUsers,
  nameNeeds,
  RUNNING,
  type Needs,
  type RunningService,
} from './unpacked-images.js';

// The units under Debian's systemd, with the images installed as in docs/operate/deploy.md. Needs root.

const UNITS = {
  api: 'causeway-api@one',
  gateway: 'causeway-gateway',
  relayer: 'causeway-relayer',
  attester: 'causeway-attester',
  watchtower: 'causeway-watchtower',
} as const;
const PASSWORD = 'correct horse';
/** systemd's range of ids for DynamicUser. */
const DYNAMIC_USERS = { first: 61_184, last: 65_519 } as const;

const folder = mkdtempSync(join(tmpdir(), 'causeway-units-'));
let environment: TestEnvironment;
let machine: SystemdMachine;

beforeAll(async () => {
  chmodSync(folder, 0o755);
  machine = SystemdMachine.create(folder);
  for (const service of RUNNING) machine.installImage(service);
  machine.installUnits(join(DEPLOY, 'units'));
  environment = await environmentForImages();
  machine.write('etc/causeway/address-book.json', readFileSync(environment.stack.addressBookFile, 'utf8'));
  await machine.start();
});
afterAll(async () => {
  await machine?.stop();
  await environment?.stop();
  rmSync(folder, { recursive: true });
});

/** Writes the files that a unit names. */
function configure(service: RunningService, needs: Needs): void {
  const lines = Object.entries(needs.variables).map(([name, value]) => `${name}=${value}\n`);
  machine.write(`etc/causeway/${service}.env`, lines.join(''));
  for (const [name, value] of Object.entries(needs.secrets)) {
    const file = name.toLowerCase().replaceAll('_', '-');
    // The relayer and the API have the same nodes; attester and watchtower have their own.
    const isOwn = name === 'DATABASE_URL' || service === 'attester' || service === 'watchtower';
    machine.write(`etc/causeway/secrets/${isOwn ? `${service}-` : ''}${file}`, value);
  }
  const { relayer, pauser } = environment.accounts;
  const key = { relayer, attester: ATTESTER_KEY, watchtower: pauser, api: null, gateway: null }[service];
  if (key === null) return;
  machine.write(`etc/causeway/secrets/${service}-keystore.json`, encryptKeystore(key.privateKey, PASSWORD, 'scrypt'));
  machine.write(`etc/causeway/secrets/${service}-keystore-password`, PASSWORD);
}

describe.each(RUNNING)('the unit of the %s', (service) => {
  const unit = UNITS[service];
  let needs: Needs;

  beforeAll(async () => {
    needs = await nameNeeds(service, environment);
    configure(service, needs);
    await machine.run('systemctl', 'start', unit);
    await waitUntil(`${unit} is ready`, async () => isReady(needs)).catch(async (cause: unknown) => {
      throw new Error(await machine.run('journalctl', '--no-pager', '--lines=20', `--unit=${unit}`), { cause });
    });
  });

  it('runs as its own user, without privileges, on a read-only root', async () => {
    const files = await machine.readProcess(unit);
    for (const user of listUsers(files)) {
      expect(user).toBeGreaterThanOrEqual(DYNAMIC_USERS.first);
      expect(user).toBeLessThanOrEqual(DYNAMIC_USERS.last);
    }
    expect(files.status).toMatch(/^CapEff:\t0+$/m);
    expect(files.status).toMatch(/^CapBnd:\t0+$/m);
    expect(files.status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(files.status).toMatch(/^Seccomp:\t2$/m);
    expect(listRootOptions(files)).toContain('ro');
  });

  it('exposes its secrets neither in its environment nor in the journal', async () => {
    const { environ } = await machine.readProcess(unit);
    const journal = await machine.run('journalctl', '--no-pager', `--unit=${unit}`);
    expect(journal).toContain('"service"');
    for (const secret of [...Object.values(needs.secrets), PASSWORD])
      expect(`${environ}${journal}`).not.toContain(secret);
  });

  it('restarts after kill -9', async () => {
    const readPid = async () => machine.run('systemctl', 'show', '--property=MainPID', unit);
    const before = await readPid();
    await machine.run('systemctl', 'kill', '--signal=SIGKILL', unit);
    const now = await waitUntil(`${unit} runs again`, async () => {
      const pid = await readPid();
      return pid !== before && (await isReady(needs)) && pid;
    });
    expect(now).not.toBe(before);
  });

  it('shuts down cleanly', async () => {
    await machine.run('systemctl', 'stop', unit);
    expect(await machine.run('systemctl', 'show', '--property=Result,ExecMainStatus', unit)).toBe(
      'Result=success\nExecMainStatus=0',
    );
  });

  it('stays down when its configuration is invalid', async () => {
    machine.write(`etc/causeway/${service}.env`, 'PORT=none\nMETRICS_PORT=none\n');
    await machine.run('systemctl', 'start', unit);
    await waitUntil(`${unit} has failed`, async () =>
      (await machine.run('systemctl', 'show', '--property=ActiveState,ExecMainStatus', unit)).includes('failed'),
    );
    expect(await machine.run('systemctl', 'show', '--property=NRestarts,ExecMainStatus', unit)).toContain(
      'ExecMainStatus=78',
    );
  });
});
