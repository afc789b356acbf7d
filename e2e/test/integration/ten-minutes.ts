import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readPrograms } from './integrator-programs.js';
import type { TestEnvironment } from '../temporary-environment.js';
import { PartnerFolder } from './partner-folder.js';
import { checkAsReader } from './reader.js';
import { PACKAGES, startRegistry, type Registry } from './registry.js';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const PROGRAM = readPrograms().get('transfer.mts') ?? '';
/** TypeScript's two ways to resolve packages. */
const RESOLUTIONS = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
];

/** Reads commands and output from the transcript on the page. */
function readTranscript(): { readonly commands: readonly string[]; readonly output: string } {
  const page = readFileSync(new URL('../../../docs/integrate/start.md', import.meta.url), 'utf8');
  const lines = (/```console\n([\s\S]*?)```/.exec(page)?.[1] ?? '').trim().split('\n');
  const commands = lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
  return { commands, output: lines.filter((line) => !line.startsWith('$ ')).join('\n') };
}

/** Removes what varies: the time of the installation, the number of packages, short-lived statuses. */
function normalize(output: string): string {
  return output
    .replaceAll(/^(?:CONFIRMING|AWAITING_RELAY|PROCESSING_DESTINATION) \d+\n/gm, '')
    .replaceAll(/\d+(?= packages|s$)/gm, 'N')
    .split('\n')
    .filter((line) => line !== '')
    .join('\n');
}

/** From an empty folder to a completed transfer, with packages packed as for a release. */
export function describeTenMinutes(getEnvironment: () => TestEnvironment): void {
  describe('the ten minutes of docs/integrate/start.md', () => {
    let folder: string;
    let registry: Registry;
    let byNpm: PartnerFolder;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'causeway-partner-'));
      registry = await startRegistry(folder, [...PACKAGES, '@causeway/verifier']);
    });
    afterAll(async () => {
      await registry?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    /** The page's commands for this bridge: the installation, then the program. */
    const readCommands = () => {
      const { apiUrl, ethereum } = getEnvironment().stack;
      const [install = '', ...others] = readTranscript().commands;
      const program = others
        .join('\n')
        .replace('http://127.0.0.1:3000/api/v1', apiUrl)
        .replace('http://127.0.0.1:8545', ethereum.rpcUrl);
      return { install, program };
    };

    async function begin(name: string, install: string) {
      const partner = new PartnerFolder(join(folder, name), registry);
      const output = await partner.run(install);
      partner.write('transfer.mts', PROGRAM);
      return { partner, output };
    }

    it('take at most 25 lines, and complete a transfer with npm and pnpm', async () => {
      expect(PROGRAM.trim().split('\n').length).toBeLessThanOrEqual(25);
      const { install, program } = readCommands();
      const npm = async () => {
        const { partner, output } = await begin('npm', install);
        byNpm = partner;
        const [transfer, ...problems] = await Promise.all([
          partner.run(program),
          ...RESOLUTIONS.map(async (resolution) => checkTypes(partner, resolution)),
        ]);
        expect(normalize(output + transfer)).toBe(normalize(readTranscript().output));
        expect(problems).toEqual(['', '']);
      };
      const pnpm = async () => {
        const { partner } = await begin('pnpm', install.replace('npm install', 'npx --yes pnpm@12.21.0 add'));
        const { privateKey } = getEnvironment().accounts.bob;
        const transfer = await partner.run(program.replace(/PRIVATE_KEY=\S+/, `PRIVATE_KEY=${privateKey}`));
        expect(transfer).toMatch(/\nCOMPLETED \d+\n$/);
      };
      await Promise.all([npm(), pnpm()]);
    });

    it('install one copy of viem, no further package and no install script', () => {
      const packages = Object.entries(byNpm.readLock());
      expect(packages.filter(([path]) => /(?:^|\/)node_modules\/viem$/.test(path))).toHaveLength(1);
      const ours = packages.filter(([path]) => path.includes('node_modules/@causeway/'));
      expect(ours.map(([path]) => path.replace('node_modules/', '')).toSorted()).toEqual(PACKAGES);
      expect(ours.flatMap(([, { dependencies = {} }]) => Object.keys(dependencies))).toEqual(
        expect.not.arrayContaining([expect.stringMatching(/^(?!@causeway\/)/)]),
      );
      expect(packages.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
    });

    it('are followed by the commands of packages/verifier/README.md, which find all of it right', async () => {
      const reader = new PartnerFolder(join(folder, 'reader'), registry);
      await expect(checkAsReader(reader, getEnvironment())).resolves.toBeUndefined();
    });
  });
}

/** The problems that strict TypeScript finds in a folder, including all declarations. */
async function checkTypes(partner: PartnerFolder, resolution: (typeof RESOLUTIONS)[number]): Promise<string> {
  const compilerOptions = {
    ...resolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2022',
    types: ['node'],
    typeRoots: [join(MODULES, '@types')],
  };
  const name = `tsconfig.${resolution.moduleResolution}.json`;
  partner.write(name, JSON.stringify({ compilerOptions, files: ['transfer.mts'] }));
  return partner.run(`"${join(MODULES, '.bin/tsc')}" -p ${name} || true`);
}
