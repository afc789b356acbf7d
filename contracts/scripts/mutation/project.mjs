import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listMutants } from './mutants.mjs';
import { CONTROL, embed } from './schemata.mjs';
import { analyse } from './syntax.mjs';

/** Exists only in the copy. */
export const CONTROL_TEST = 'test/Control.t.sol';
/** Our own sources. Not the interfaces, which contain no code, and not the test tokens. */
const MUTATED = 'src/{bridge,deploy,libraries,tokens}/**/*.sol';

/**
 * The package's settings with a faster optimiser, since there is ten times the code, and stopping at the first failure.
 */
const CONFIG = `import base from './hardhat.base.ts';

const { compilers, overrides } = base.solidity.profiles.default;
const settings = { evmVersion: 'cancun', viaIR: true, optimizer: { enabled: true, runs: 1 } };
const faster = Object.entries(overrides).map(([file, compiler]) => [file, { ...compiler, settings }]);
const { default: profile } = base.test.solidity.profiles;
export default {
  ...base,
  solidity: { profiles: { default: { compilers, overrides: Object.fromEntries(faster) } } },
  test: { solidity: { ...profile, invariant: { ...profile.invariant, shrinkRunLimit: 0 } } },
};
`;

/** The texts of a package's sources by name. */
function readSources(root) {
  const names = globSync('src/**/*.sol', { cwd: root });
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

/** The mutants of a package that compile, and those that do not. */
export function collect(root) {
  const sources = readSources(root);
  const names = globSync(MUTATED, { cwd: root }).toSorted();
  let mutants = listMutants(sources, names);
  const invalid = [];
  for (;;) {
    const texts = withMutants(sources, mutants);
    const { errors } = analyse(texts);
    if (errors.length === 0) return { mutants, invalid, texts };
    const refused = new Set(errors.map((error) => blame(error, texts)));
    invalid.push(...mutants.filter(({ number }) => refused.has(number)));
    mutants = mutants.filter(({ number }) => !refused.has(number));
  }
}

/** All sources with the mutants in them. Functions that read the active mutant lose `pure`. */
function withMutants(sources, mutants) {
  const files = new Set(mutants.flatMap(({ sites }) => sites.map(({ file }) => file)));
  return Object.fromEntries(
    Object.entries(sources).map(([name, text]) => [
      name,
      withoutPure(files.has(name) ? embed(Buffer.from(text), mutants, name) : text),
    ]),
  );
}

const withoutPure = (text) => text.replaceAll(/^([^/\n]*)\bpure\b/gm, '$1view');

/** The number of the mutant that an error is about: the one around it, or else the first one in it. */
function blame({ sourceLocation, formattedMessage }, texts) {
  const bytes = Buffer.from(texts[sourceLocation?.file] ?? '');
  const cut = (start, end) => bytes.subarray(start, end).toString();
  const { start = 0, end = 0 } = sourceLocation ?? {};
  const around = [...cut(0, start).matchAll(/\/\*(\d+)\*\//g)].findLast(([, number]) =>
    cut(start).includes(`/*end ${number}*/`),
  );
  const number = around?.[1] ?? /\/\*(\d+)\*\//.exec(cut(start, end))?.[1];
  if (number === undefined) throw new Error(formattedMessage);
  return Number(number);
}

/**
 * Brings a copy of the package up to date, with all mutants in its sources. Unchanged files stay, so the compiler's
 * cache stays valid.
 *
 * @returns the test files, and digests of the sources and of everything else that affects a run.
 */
export function writeProject(root, copy, texts) {
  const read = (name) => readFileSync(join(root, name), 'utf8');
  const tests = globSync('test/**/*.sol', { cwd: root }).toSorted();
  const files = {
    ...texts,
    ...Object.fromEntries(tests.map((name) => [name, withoutPure(read(name))])),
    [CONTROL_TEST]: CONTROL,
    'package.json': read('package.json'),
    'hardhat.base.ts': read('hardhat.config.ts'),
    'hardhat.config.ts': CONFIG,
  };
  for (const stale of globSync('{src,test}/**/*.sol', { cwd: copy })) if (!(stale in files)) rmSync(join(copy, stale));
  const hashes = { sources: createHash('sha256'), others: createHash('sha256') };
  for (const [name, text] of Object.entries(files)) {
    hashes[name in texts ? 'sources' : 'others'].update(JSON.stringify([name, text]));
    const path = join(copy, name);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  }
  const modules = join(copy, 'node_modules');
  if (!existsSync(modules)) symlinkSync(join(root, 'node_modules'), modules);
  return {
    tests: tests.filter((name) => name.endsWith('.t.sol')),
    digests: { sources: hashes.sources.digest('hex'), others: hashes.others.digest('hex') },
  };
}

/** Compiles the copy, once for all mutants. */
export function build(copy) {
  const hardhat = join(copy, 'node_modules', '.bin', 'hardhat');
  // Its warnings are about the mutants.
  const { status, stdout, stderr } = spawnSync(hardhat, ['build', '--quiet', '--no-typechain'], {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`The project with the mutants does not compile:\n${stdout}${stderr}`);
}
