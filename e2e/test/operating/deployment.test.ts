import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVER_CERTIFICATE, startPostgres, type PostgresServer } from '@causeway/test-kit';
import { Client } from 'pg';

// Checks the files of deploy with the programs that read them. `test:images` runs the services with them.

const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url));
const REFERENCE = readFileSync(join(DEPLOY, '../docs/reference/environment.md'), 'utf8');
const UNITS = readdirSync(join(DEPLOY, 'units'));
/** The highest exposure, in tenths of systemd-analyze's scale. */
const MAX_EXPOSURE = 29;

/** Read by the C library, before the program starts. */
const OF_LIBRARY = ['MALLOC_ARENA_MAX'];

const run = promisify(execFile);

/** Names and defaults of a service's variables, from docs/reference/environment.md. */
function readVariables(service: string): ReadonlyMap<string, string> {
  const [, section = ''] =
    new RegExp(`^## The ${service}\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'im').exec(REFERENCE) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const cells = rows.map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));
  return new Map(cells.map((row) => [row[1] ?? '', row.at(-2) ?? '']));
}

/** The longest clean shutdown, in milliseconds. */
function longestShutdown(service: string): number {
  const variables = readVariables(service);
  const ofVariables = ['SHUTDOWN_DELAY_MS', 'SHUTDOWN_TIMEOUT_MS'].map((name) => Number(variables.get(name) ?? 0));
  // These have no such variable but a constant in their service.ts.
  return ['relayer', 'attester', 'watchtower'].includes(service)
    ? 5_000
    : ofVariables.reduce((sum, each) => sum + each);
}

describe.each(UNITS)('deploy/units/%s', (file) => {
  const path = join(DEPLOY, 'units', file);
  const text = readFileSync(path, 'utf8');
  const [, service = ''] = /^causeway-(\w+)/.exec(file) ?? [];

  it('limits what the service can do to the machine', async () => {
    const words = ['security', '--offline=true', '--no-pager', `--threshold=${MAX_EXPOSURE}`, path];
    expect((await run('systemd-analyze', words)).stdout).toContain('Overall exposure level');
  });

  it('waits for a clean shutdown, and restarts the service unless its configuration is wrong', () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(text) ?? [];
    expect(Number(seconds) * 1_000).toBeGreaterThan(longestShutdown(service));
    expect(text).toMatch(/^Restart=always$/m);
    expect(text).toMatch(/^RestartPreventExitStatus=78$/m);
  });

  it('sets variables that the service has', () => {
    const names = [...text.matchAll(/^Environment=(\w+)=/gm)].map(([, name = '']) => name);
    const known = new Set([...readVariables(service).keys(), ...OF_LIBRARY]);
    expect(names.filter((name) => !known.has(name) && !known.has(name.replace(/_FILE$/, '')))).toEqual([]);
  });
});

describe('deploy/backup', () => {
  const read = (file: string) => readFileSync(join(DEPLOY, 'backup', file), 'utf8');
  const files = readdirSync(join(DEPLOY, 'backup'));

  it('limits what a backup can do to the machine', async () => {
    const path = join(DEPLOY, 'backup/causeway-backup@.service');
    const words = ['security', '--offline=true', '--no-pager', `--threshold=${MAX_EXPOSURE}`, path];
    expect((await run('systemd-analyze', words)).stdout).toContain('Overall exposure level');
  });

  it('has timers at valid times, whose instances are commands of the program', async () => {
    const timers = files.filter((file) => file.endsWith('.timer'));
    expect(timers.length).toBe(3);
    for (const timer of timers) {
      const [, command = '', time = ''] = [
        ...(/^Unit=causeway-backup@(\w+)\.service$/m.exec(read(timer)) ?? []),
        ...(/^OnCalendar=(.*)$/m.exec(read(timer))?.slice(1) ?? []),
      ];
      expect(read('causeway-backup')).toMatch(new RegExp(`^  (\\w+ \\| )?${command}( \\| \\w+)?\\)$`, 'm'));
      await expect(run('systemd-analyze', ['calendar', time])).resolves.toBeDefined();
    }
  });

  it('is set up by the page', () => {
    const page = readFileSync(join(DEPLOY, '../docs/operate/backup.md'), 'utf8');
    for (const file of files.filter((name) => /\.conf$|^causeway-backup$/.test(name)))
      expect(page).toContain(`deploy/backup/${file}`);
    for (const file of files.filter((name) => name.endsWith('.timer'))) expect(page).toContain(file);
  });
});

describe('docs/operate/deploy.md', () => {
  const page = readFileSync(join(DEPLOY, '../docs/operate/deploy.md'), 'utf8');

  it('names images and options that the command has', async () => {
    const { stdout: help } = await run(process.execPath, [join(DEPLOY, 'images/main.mjs'), '--help']);
    const words = [...page.matchAll(/npx pnpm@[\d.]+ images(( [a-z-]+| <\w+>| \/?[.\w/]+)*)/g)].flatMap(
      ([, text = '']) => text.split(' ').filter((word) => /^[a-z-]+$/.test(word)),
    );
    expect(words.length).toBeGreaterThan(3);
    for (const word of words) expect(help).toContain(word);
  });

  it('names the secrets of the units', () => {
    const files = UNITS.map((file) => readFileSync(join(DEPLOY, 'units', file), 'utf8'));
    const paths = files.flatMap((text) =>
      [...text.matchAll(/^LoadCredential=[\w-]+:(.*)$/gm)].map(([, path = '']) => path),
    );
    for (const path of paths) expect(page).toContain(path.replace('/etc/causeway/secrets/', ''));
  });
});

it('deploy/prometheus.yml is accepted by promtool', async () => {
  const { stdout } = await run('promtool', ['check', 'config', join(DEPLOY, 'prometheus.yml')]);
  expect(stdout).toContain('is valid prometheus config');
});

describe('deploy/alertmanager.yml', () => {
  const text = readFileSync(join(DEPLOY, 'alertmanager.yml'), 'utf8');
  const [, receivers = ''] = /^receivers:\n([\s\S]*)/m.exec(text) ?? [];

  it('drops no alert: each receiver has an address, which is a secret of compose.yml', () => {
    const named = [...receivers.matchAll(/^ {2}- name: (.*)\n {4}\w+_configs: .*url_file: \/run\/secrets\/([\w-]+)/gm)];
    expect(named.map(([, name]) => name)).toEqual(['team', 'dead-mans-switch']);
    expect(receivers.match(/- name:/g)).toHaveLength(named.length);
    const compose = readFileSync(join(DEPLOY, 'compose.yml'), 'utf8');
    expect(compose).toContain(`secrets: [${named.map(([, , secret]) => secret).join(', ')}]`);
  });

  it('is accepted, and sends only Watchdog to the switch', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'causeway-alertmanager-')), 'alertmanager.yml');
    // Debian's Alertmanager knows no files with addresses.
    writeFileSync(file, text.replaceAll(/url_file: \/run\/secrets\//g, 'url: http://127.0.0.1:9/'));
    expect((await run('amtool', ['check-config', file])).stdout).toContain('2 receivers');
    const route = async (alert: string) =>
      (await run('amtool', ['config', 'routes', 'test', `--config.file=${file}`, `alertname=${alert}`])).stdout.trim();
    expect(await route('Watchdog')).toBe('dead-mans-switch');
    expect(await route('Halted')).toBe('team');
  });
});

it('deploy/balancer.cfg is accepted by HAProxy, and publishes only listeners with TLS', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-balancer-'));
  const text = readFileSync(join(DEPLOY, 'balancer.cfg'), 'utf8');
  const certificate = join(folder, 'certificate');
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(certificate, SERVER_CERTIFICATE.certificate + SERVER_CERTIFICATE.key);
  writeFileSync(file, text.replaceAll('/run/secrets/balancer-certificate', certificate));
  expect((await run('/usr/sbin/haproxy', ['-c', '-f', file])).stdout).toContain('Configuration file is valid');
  // The metrics' port, which Compose does not publish.
  expect(text.match(/^ *bind :\d+$/gm)).toEqual(['  bind :8405']);
});

describe('deploy/compose.yml', () => {
  /** Resolved configuration of each service. */
  const services = new Map<string, string>();
  const ours = ['api', 'gateway', 'relayer', 'attester', 'watchtower'];
  const others = 'commands roles alertmanager balancer database-host postgres prometheus redis'.split(' ');

  beforeAll(async () => {
    // Includes services that run only on request.
    const profiles = ['commands', 'attester', 'watchtower'].flatMap((name) => ['--profile', name]);
    const words = ['--file', join(DEPLOY, 'compose.yml'), ...profiles, 'config'];
    const { stdout } = await run('docker-compose', words);
    const [, section = ''] = /^services:\n((?: {2}.*\n)+)/m.exec(stdout) ?? [];
    for (const [, name = '', text = ''] of section.matchAll(/^ {2}([\w-]+):\n((?: {4}.*\n)+)/gm))
      services.set(name, text);
  });

  it('has every service and its dependencies', () => {
    expect([...services.keys()].toSorted()).toEqual([...ours, ...others].toSorted());
  });

  it('gives each service a user, limits and no privileges', () => {
    for (const [name, text] of services) {
      expect([name, text]).toEqual([name, expect.stringMatching(/^ {4}user: [1-9]\d*:[1-9]\d*$/m)]);
      for (const line of ['read_only: true', 'cap_drop:\n    - ALL', 'security_opt:\n    - no-new-privileges:true'])
        expect([name, text]).toEqual([name, expect.stringContaining(`    ${line}\n`)]);
      for (const limit of ['mem_limit', 'cpus', 'pids_limit'])
        expect([name, text]).toEqual([name, expect.stringMatching(new RegExp(`^ {4}${limit}: `, 'm'))]);
    }
  });

  it.each(ours)('waits for the shutdown of the %s, and sets only variables that it has', (service) => {
    const text = services.get(service) ?? '';
    const [, seconds] = /stop_grace_period: (\d+)s/.exec(text) ?? [];
    expect(Number(seconds) * 1_000).toBeGreaterThan(longestShutdown(service));
    expect(text).toContain('/health/ready');
    const [, environment = ''] = /^ {4}environment:\n((?: {6}.*\n)+)/m.exec(text) ?? [];
    const names = [...environment.matchAll(/^ {6}(\w+):/gm)].map(([, name = '']) => name);
    const known = readVariables(service);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !known.has(name) && !known.has(name.replace(/_FILE$/, '')))).toEqual([]);
  });

  it('passes secrets as files', () => {
    const secret = /(?:PASSWORD|KEY|MNEMONIC): |:\/\/[^/\s]*:[^/\s]*@/;
    for (const [name, text] of services) expect([name, secret.exec(text)?.[0]]).toEqual([name, undefined]);
  });
});

describe('the commands of the pages that make a database', () => {
  const PASSWORDS = { owner: 'of-the-owner', relayer: 'of-the-relayer', api: 'of-the-api' } as const;
  let server: PostgresServer;
  let folder: string;

  beforeAll(async () => {
    server = await startPostgres();
    folder = mkdtempSync(join(tmpdir(), 'causeway-pages-'));
    const program = join(folder, 'causeway-admin');
    const main = createRequire(import.meta.url).resolve('@causeway/admin-cli/main');
    writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`);
    chmodSync(program, 0o755);
  });
  afterAll(async () => server?.stop());

  const url = (database: string, login?: keyof typeof PASSWORDS) => {
    const { href } = new URL(`${server.url}/${database}`);
    const as = login === undefined ? {} : { username: `causeway_${login}`, password: PASSWORDS[login] };
    return Object.assign(new URL(href), as).href;
  };
  const execute = async (command: string, env: Readonly<Record<string, string>>) =>
    run('sh', ['-ec', command], { env: { PATH: `${folder}:${process.env['PATH']}`, ...env } });
  /** Reads a table as a login. */
  const readAs = async (login: keyof typeof PASSWORDS, database: string) => {
    const client = new Client({ connectionString: url(database, login) });
    await client.connect();
    try {
      return (await client.query('SELECT count(*)::int AS count FROM operation')).rows;
    } finally {
      await client.end();
    }
  };

  it('docs/operate/deploy.md: the Compose containers create roles and tables', async () => {
    const page = readFileSync(join(DEPLOY, '../docs/operate/deploy.md'), 'utf8');
    const secrets = join(folder, 'secrets');
    mkdirSync(secrets);
    const files = {
      'superuser-database-url': url('postgres'),
      'owner-database-url': url('postgres', 'owner'),
      ...Object.fromEntries(Object.entries(PASSWORDS).map(([role, password]) => [`${role}-password`, password])),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(secrets, name), text, { mode: 0o400 });
    const words = ['--file', join(DEPLOY, 'compose.yml'), '--profile', 'commands', 'config'];
    const { stdout } = await run('docker-compose', words);
    const runs = [...page.matchAll(/^ *docker-compose -f deploy\/compose.yml run --rm (\w+)(.*)$/gm)];
    expect(runs.map(([, service]) => service)).toEqual(['roles', 'commands']);
    for (const [, service = '', given = ''] of runs) {
      const [text = ''] = new RegExp(`^ {2}${service}:\n(?: {4}.*\n)+`, 'm').exec(stdout) ?? [];
      const list = [...(/^ {4}command:\n((?: {4}- .*\n)+)/m.exec(text)?.[1] ?? '').matchAll(/- (.*)/g)];
      const command = given.trim() || list.map(([, word]) => word).join(' ');
      const variables = [...text.matchAll(/^ {6}(\w+): \/run\/secrets\/(.*)$/gm)];
      const env = Object.fromEntries(variables.map(([, name = '', file = '']) => [name, join(secrets, file)]));
      await execute(`causeway-admin ${command}`, env);
    }
    for (const login of ['relayer', 'api'] as const) expect(await readAs(login, 'postgres')).toEqual([{ count: 0 }]);
  });

  it('docs/runbook.md: a lost database has a successor on the same server', async () => {
    const sections = readFileSync(join(DEPLOY, '../docs/runbook.md'), 'utf8').split(/^## /m);
    const section = sections.find((each) => each.startsWith('The database is lost\n')) ?? '';
    const [, commands = ''] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
    expect(commands).toContain('causeway-admin migrate apply');
    const rebuilt = 'causeway_rebuilt';
    await execute(commands, { SERVER: url('postgres'), SUPERUSER: url(rebuilt), OWNER: url(rebuilt, 'owner') });
    for (const login of ['relayer', 'api'] as const) expect(await readAs(login, rebuilt)).toEqual([{ count: 0 }]);
  });
});
