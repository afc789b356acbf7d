import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@causeway/test-kit';
import type { TestEnvironment } from '../temporary-environment.js';
import {
  ATTESTER_KEY,
  COMMANDS,
  DEPLOY,
  environmentForImages,
  IMAGES,
  isReady,
  listRootOptions,
  listUsers,
  nameNeeds,
  readArchive,
  readProcess,
  readRelease,
  getRoot,
  RUNNING,
  type RunningService,
} from './unpacked-images.js';

// Each image as a container engine would run it, by deploy/images/run.sh. Needs root and the built images.

const USER = 10_001;
const MAIN = '/opt/causeway/dist/bundle/main.js';
const RUN = join(DEPLOY, 'images/run.sh');
const ALL = [...RUNNING, COMMANDS];

interface Container {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly needs: Awaited<ReturnType<typeof nameNeeds>>;
  readonly printed: () => string;
}

const folder = mkdtempSync(join(tmpdir(), 'causeway-images-'));
let environment: TestEnvironment;
const containers: Container[] = [];

beforeAll(async () => {
  chmodSync(folder, 0o755);
  environment = await environmentForImages();
});
afterAll(async () => {
  for (const container of containers) container.process.kill('SIGKILL');
  await environment?.stop();
  rmSync(folder, { recursive: true });
});

/** Runs Node with arguments in an image, until it ends. */
async function runIn(image: string, ...words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', [RUN, getRoot(image), '--', ...words], { env: {} });
  return stdout.trim();
}

/** Writes a file that only the user of the images can read, and returns its path. */
function secretFile(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o400 });
  chownSync(path, USER, USER);
  return path;
}

async function start(service: RunningService): Promise<Container> {
  const { stack, accounts } = environment;
  const needs = await nameNeeds(service, environment);
  const keys = {
    ...(service === 'relayer' ? { RELAYER_PRIVATE_KEY: accounts.relayer.privateKey } : {}),
    ...(service === 'attester' ? { ATTESTER_PRIVATE_KEY: ATTESTER_KEY.privateKey } : {}),
    ...(service === 'watchtower' ? { PAUSER_PRIVATE_KEY: accounts.pauser.privateKey } : {}),
  };
  const secrets = Object.entries({ ...needs.secrets, ...keys });
  const data = mkdtempSync(join(folder, 'data-'));
  chownSync(data, USER, USER);
  const mounts = [
    ...secrets.map(([name, value]) => `${secretFile(`${service}-${name}`, value)}:/run/secrets/${name}`),
    `${stack.addressBookFile}:/run/address-book.json`,
    ...(['gateway', 'attester', 'watchtower'].includes(service) ? [`${data}:/data`] : []),
  ];
  const env = {
    ...needs.variables,
    ...Object.fromEntries(secrets.map(([name]) => [`${name}_FILE`, `/run/secrets/${name}`])),
    ADDRESS_BOOK: '/run/address-book.json',
    DATA_DIRECTORY: '/data',
  };
  const process = spawn('sh', [RUN, getRoot(service), ...mounts, '--', MAIN], { env });
  let output = '';
  for (const stream of [process.stdout, process.stderr]) stream.on('data', (text: Buffer) => (output += String(text)));
  const container = { process, pid: process.pid ?? 0, needs, printed: () => output };
  containers.push(container);
  await waitUntil(`${service} is ready`, async () => {
    if (process.exitCode !== null) throw new Error(`${service} ended: ${output}`);
    return isReady(needs);
  });
  return container;
}

describe.each(ALL)('the image %s', (image) => {
  it('contains no program but Node, and runs as a user without write access', async () => {
    const program = `
      const { readdirSync, writeFileSync } = require('node:fs');
      const attempt = (path) => { try { writeFileSync(path, ''); return 'written'; } catch ({ code }) { return code; } };
      const programs = ['/bin', '/sbin', '/usr/bin', '/usr/sbin'].flatMap((path) => readdirSync(path));
      const written = ['/x', '/tmp/x', '/etc/passwd', '${MAIN}', '/run/x', '/dev/x'].map(attempt);
      console.log(JSON.stringify({ user: process.getuid(), groups: process.getgroups(), programs, written }));`;
    expect(JSON.parse(await runIn(image, '-e', program))).toEqual({
      user: USER,
      groups: [USER],
      programs: ['node'],
      written: Array.from({ length: 6 }, () => 'EROFS'),
    });
  });

  it('names its version and commit', async () => {
    const { version, commit } = readRelease(image);
    expect(commit).toMatch(/^[0-9a-f]{40}/);
    expect(await runIn(image, MAIN, '--version')).toContain(`${version} (${commit})`);
  });

  it('declares its user and release, and no secret', () => {
    const { version, commit } = readRelease(image);
    const blob = <T>({ digest }: { readonly digest: string }) =>
      readArchive<T>(image, `blobs/${digest.replace(':', '/')}`);
    const [entry] = readArchive<{ manifests: { digest: string }[] }>(image, 'index.json').manifests;
    const { config } = blob<{ config: { digest: string } }>(entry!);
    const { User, Env, Labels } = blob<{ config: { User: string; Env?: string[]; Labels: object } }>(config).config;
    expect(User).toBe('10001:10001');
    expect(
      (Env ?? []).filter(
        (each) => !/^(PATH|HOST|METRICS_HOST|METRICS_PORT|DATA_DIRECTORY|MALLOC_ARENA_MAX)=/.test(each),
      ),
    ).toEqual([]);
    expect(Labels).toMatchObject({
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': commit,
    });
  });

  it('lists its contents', () => {
    const list = JSON.parse(readFileSync(join(IMAGES, `${image}.cdx.json`), 'utf8')) as {
      specVersion: string;
      components: { name: string; purl: string }[];
    };
    const urls = list.components.map(({ purl }) => purl);
    expect(list.specVersion).toBe('1.6');
    expect(urls).toContain(`pkg:generic/node@${process.versions.node}`);
    expect(urls).toContainEqual(expect.stringMatching(/^pkg:deb\/debian\/libc6@/));
    expect(urls).toContainEqual(expect.stringMatching(/^pkg:npm\/viem@/));
    const folders = readdirSync(`${getRoot(image)}/opt/causeway`).includes('node_modules')
      ? readdirSync(`${getRoot(image)}/opt/causeway/node_modules`).filter((name) => !name.startsWith('@'))
      : [];
    expect(list.components.map(({ name }) => name)).toEqual(expect.arrayContaining(folders));
  });
});

describe.each(RUNNING)('%s from its image', (service) => {
  let container: Container;
  beforeAll(async () => {
    container = await start(service);
  });

  it('becomes ready without privileges, on a read-only root', () => {
    const files = readProcess(container.pid);
    expect(listUsers(files)).toEqual([USER, USER, USER, USER]);
    expect(files.status).toMatch(/^CapEff:\t0+$/m);
    expect(files.status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(listRootOptions(files)).toContain('ro');
  });

  it('passes the health check of the compose file', async () => {
    const compose = readFileSync(join(DEPLOY, 'compose.yml'), 'utf8');
    const check = /"(fetch\('http:\/\/127\.0\.0\.1:9464.*)"$/m.exec(compose)?.[1] ?? '';
    const { metricsPort } = container.needs;
    await expect(runIn(service, '-e', check.replace('9464', `${metricsPort}`))).resolves.toBe('');
    await expect(runIn(service, '-e', check.replace('9464', '1'))).rejects.toMatchObject({ code: 1 });
  });

  it('exposes its secrets neither in its environment nor in its output', () => {
    const shown = `${readProcess(container.pid).environ}${container.printed()}`;
    for (const secret of Object.values(container.needs.secrets)) expect(shown).not.toContain(secret);
    const { relayer, pauser } = environment.accounts;
    for (const { privateKey } of [relayer, pauser, ATTESTER_KEY]) expect(shown).not.toContain(privateKey);
  });

  it('logs its release', () => {
    const { version, commit } = readRelease(service);
    const lines = container
      .printed()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ version, commit });
  });

  it('shuts down cleanly at SIGTERM', async () => {
    const ended = once(container.process, 'exit');
    container.process.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
