import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Registry } from './registry.js';

const run = promisify(execFile);

/** An entry of `package-lock.json`. */
interface LockedPackage {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly hasInstallScript?: boolean;
}

/** A partner's folder outside the repository, at first with only a `.npmrc`. */
export class PartnerFolder {
  constructor(
    private readonly path: string,
    { url }: Registry,
  ) {
    mkdirSync(path);
    this.write('.npmrc', `@causeway:registry=${url}\naudit=false\nfund=false\nprefer-offline=true\n`);
  }

  write(name: string, text: string): void {
    const file = join(this.path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Runs shell commands with the pinned Node, and returns their output. Stops at the first failure. */
  async run(commands: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
    const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
    const options = { cwd: this.path, env: { ...process.env, NO_COLOR: '1', PATH, ...variables }, timeout: 240_000 };
    try {
      return (await run('sh', ['-ec', commands], options)).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
      throw new Error(`${commands}\n${stdout}\n${stderr}`, { cause: error });
    }
  }

  /** The packages that npm has installed, by path. */
  readLock(): Readonly<Record<string, LockedPackage>> {
    const text = readFileSync(join(this.path, 'package-lock.json'), 'utf8');
    const { '': _root, ...packages } = (JSON.parse(text) as { packages: Record<string, LockedPackage> }).packages;
    return packages;
  }

  resolve(name: string): string {
    return join(this.path, name);
  }
}
