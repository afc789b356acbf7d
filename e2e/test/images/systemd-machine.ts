import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { waitUntil } from '@causeway/test-kit';
import { getRoot, type ProcessFiles } from './unpacked-images.js';

const BOOT = fileURLToPath(new URL('boot-systemd.sh', import.meta.url));
const PACKAGES = ['systemd', 'systemd-sysv', 'dbus'];
const MIRROR = 'deb http://deb.debian.org/debian bookworm main';

/** A Debian with systemd, in namespaces of this machine and on its network. */
export class SystemdMachine {
  private boot: ChildProcess | null = null;
  /** systemd's process id on this machine. */
  private pid = 0;

  private constructor(private readonly root: string) {}

  /** Creates a Debian system in a folder. */
  static create(folder: string): SystemdMachine {
    const root = join(folder, 'machine');
    const words = ['--quiet', '--variant=minbase', `--include=${PACKAGES.join(',')}`, 'bookworm', root, MIRROR];
    execFileSync('mmdebstrap', words, { stdio: ['ignore', 'ignore', 'pipe'] });
    writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n');
    return new SystemdMachine(root);
  }

  /** Installs an unpacked image. */
  installImage(service: string): void {
    const folder = join(this.root, 'opt/causeway');
    mkdirSync(folder, { recursive: true });
    execFileSync('cp', ['--archive', getRoot(service), folder]);
  }

  /** Copies a folder of units. */
  installUnits(folder: string): void {
    cpSync(folder, join(this.root, 'etc/systemd/system'), { recursive: true });
  }

  /** Writes a file that only root can read. */
  write(path: string, content: string): void {
    mkdirSync(join(this.root, path, '..'), { recursive: true });
    writeFileSync(join(this.root, path), content, { mode: 0o600 });
  }

  /** Boots, and resolves when systemd has started all units. */
  async start(): Promise<void> {
    const boot = spawn('sh', [BOOT, this.root], { stdio: 'ignore' });
    this.boot = boot;
    await waitUntil('systemd runs', async () => {
      const children = readFileSync(`/proc/${boot.pid}/task/${boot.pid}/children`, 'utf8').trim();
      this.pid = Number(children.split(' ')[0]);
      return (await this.run('systemctl', 'is-system-running').catch(() => '')) === 'running';
    });
  }

  /** Runs a command inside. */
  async run(...words: readonly string[]): Promise<string> {
    const namespaces = ['--target', `${this.pid}`, '--mount', '--pid', '--uts', '--ipc', '--cgroup'];
    const { stdout } = await promisify(execFile)('nsenter', [...namespaces, '--', ...words]);
    return stdout.trim();
  }

  /** Reads the kernel's files about a unit's main process. */
  async readProcess(unit: string): Promise<ProcessFiles> {
    const pid = await this.run('systemctl', 'show', '--property=MainPID', '--value', unit);
    const read = async (name: string) => this.run('cat', `/proc/${pid}/${name}`);
    return { status: await read('status'), mountinfo: await read('mountinfo'), environ: await read('environ') };
  }

  async stop(): Promise<void> {
    const { boot } = this;
    if (boot === null) return;
    const ended = once(boot, 'exit');
    boot.kill('SIGKILL');
    await ended;
    rmSync(this.root, { recursive: true });
  }
}
