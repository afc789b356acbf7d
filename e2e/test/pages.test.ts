import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  DELAY_REASONS,
  ERROR_CODES,
  FAILURE_REASONS,
  STALL_REASONS,
  UNDELIVERABLE_REASONS,
  UNPAYABLE_REASONS,
} from '@causeway/protocol';
import { ALERTS, NOTIFICATIONS } from '@causeway/protocol/admin';
import { REFUSAL_REASONS } from '@causeway/verifier';
import { FAULTS, NOT_INJECTED } from './services/faults/fault-table.js';

// The claims of the pages, checked without a bridge: links, commands with their options, and a place for everything
// that an operator or a user can meet. `docs.test.ts` runs the commands and examples.

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const require = createRequire(import.meta.url);
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
/** Folders whose files are made here, or come from elsewhere. */
const FOREIGN = new Set([
  'node_modules',
  'dist',
  'coverage',
  'artifacts',
  'cache',
  '.git',
  '.release',
  '.images',
  'generated',
]);
const PAGES = globSync(['**/*.md', '.github/*.md', '.changeset/*.md'], {
  cwd: ROOT,
  exclude: (path) => FOREIGN.has(basename(path)),
}).filter((page) => !page.endsWith('CHANGELOG.md'));

/** The ids that GitHub gives to the headings of a page. */
function headingIds(page: string): Set<string> {
  const headings = [...withoutCode(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  const slugs = headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(slugs);
}

function withoutCode(text: string): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
}

/** The relative links of a page that lead nowhere. */
function brokenLinks(page: string): string[] {
  const text = withoutCode(read(page)).replaceAll(/`[^`\n]*`/g, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)|(?:src|srcset)="([^"]+)"/gm)].map(
    ([, link, definition, source]) => link ?? definition ?? source,
  );
  return links.flatMap((link = '') => {
    if (/^[a-z]+:/.test(link)) return [];
    const [path = '', id] = link.split('#');
    const target = path === '' ? page : join(dirname(page), decodeURIComponent(path));
    const isThere = existsSync(join(ROOT, target)) && (id === undefined || headingIds(target).has(id));
    return isThere ? [] : [link];
  });
}

describe('the links of the pages', () => {
  it.each(PAGES)('%s', (page) => expect(brokenLinks(page)).toEqual([]));
});

/** The functions that a release packs with. */
interface Release {
  readonly findPackages: () => { readonly name: string; readonly folder: string }[];
  readonly linkPackage: (url: string, folder: string, readme: string) => { fields: object; readme: string };
  readonly readRepository: () => string | null;
  readonly findObstacles: () => string[];
}

describe('the published packages', () => {
  const REPOSITORY = 'https://github.com/owner/bridge';
  let release: Release;
  beforeAll(async () => {
    const scripts = ['workspace', 'publish'].map((name) => import(`${ROOT}/scripts/tools/release/${name}.mjs`));
    release = Object.assign({}, ...(await Promise.all(scripts))) as Release;
  });

  it('name repository, homepage and bugs by one setting, and their READMEs link a guide', () => {
    for (const { folder } of release.findPackages()) {
      const { fields, readme } = release.linkPackage(REPOSITORY, folder, read(`${folder}/README.md`));
      expect(fields).toEqual({
        repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: folder },
        homepage: `${REPOSITORY}/tree/HEAD/${folder}#readme`,
        bugs: { url: `${REPOSITORY}/issues` },
      });
      const links = [...withoutCode(readme).matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
      const paths = links.map((link) => link.replace(`${REPOSITORY}/blob/HEAD/`, '').split('#')[0]!);
      const lost = paths.filter((path) => !path.startsWith('https:') && !existsSync(join(ROOT, path)));
      expect({ folder, lost, guide: paths.find((path) => /^docs\/(?:integrate|operate)\//.test(path)) }).toEqual({
        folder,
        lost: [],
        guide: expect.any(String),
      });
    }
  });

  it('have no links while the setting is missing, which the release reports', () => {
    const isNamed = release.findObstacles().some((obstacle) => obstacle.startsWith('No repository is set'));
    expect(isNamed).toBe(release.readRepository() === null);
  });

  it('have a first changelog that lists their parts', () => {
    for (const { name, folder } of release.findPackages()) {
      const changelog = join(folder, 'CHANGELOG.md');
      const notes = existsSync(join(ROOT, changelog)) ? [changelog] : globSync('.changeset/*.md', { cwd: ROOT });
      const text = notes.map(read).find((note) => note.startsWith(`# ${name}`) || note.includes(`'${name}': minor`));
      expect(text).toMatch(/The first release[^]*\n *- /);
    }
  });
});

describe('the hosted workflow of a change', () => {
  it('demands the steps of .ci/run, and nothing else', () => {
    const workflow = read('.github/workflows/ci.yml');
    const commands = [...workflow.matchAll(/\brun: (.*)$/gm)].map(([, command]) => command);
    expect(commands).toEqual(['bash .ci/run install ${{ matrix.steps }}', 'bash .ci/run commits']);
    const demanded = [...workflow.matchAll(/\bsteps: ([a-z ]+)/g)].flatMap(([, steps = '']) => steps.trim().split(' '));
    const run = /set -- (.*)$/m.exec(read('.ci/run'))?.[1]?.split(' ');
    expect(new Set(['commits', 'install', ...demanded])).toEqual(new Set(run));
  });
});

describe('the commands that the pages name', () => {
  const MAIN = {
    relayer: require.resolve('@causeway/relayer/main'),
    attester: require.resolve('@causeway/attester/main'),
    watchtower: require.resolve('@causeway/watchtower/main'),
    'causeway-admin': join(ROOT, 'packages/admin-cli/dist/cli/program.js'),
  } as const;
  /** Commands that have commands of their own. */
  const GROUPS = new Set(['refund', 'audit', 'hash', 'migrate']);

  const used = new Map<string, Set<string>>();
  for (const page of PAGES.filter((each) => !each.startsWith('docs/reference/'))) {
    const text = read(page).replaceAll(
      /node packages\/admin-cli\/dist\/bundle\/main\.js |npx (?:pnpm@[\d.]+ admin|causeway-admin) /g,
      'causeway-admin ',
    );
    for (const [, line = ''] of text.matchAll(
      /(?:`|^ *)((?:relayer|attester|watchtower|causeway-admin) [a-z][^`\n]*)/gm,
    )) {
      const [program = '', ...words] = line.trim().split(' ');
      const depth = GROUPS.has(words[0] ?? '') && /^[a-z][a-z-]*$/.test(words[1] ?? '') ? 2 : 1;
      const name = [program, ...words.slice(0, depth)].join(' ');
      const options = used.get(name) ?? new Set();
      for (const [option] of line.matchAll(/--[a-z][a-z-]*/g)) options.add(option);
      used.set(name, options);
    }
  }

  /** Prints the help of each command in one process: loading the program takes most of the time. */
  const PRINT_HELP = `
    const [program, ...commands] = JSON.parse(process.argv[1]);
    process.execArgv = [];
    process.exit = () => { throw new Error('The command would end here'); };
    for (const [index, words] of commands.entries()) {
      process.argv = [process.execPath, program, ...words, '--help'];
      await import('file://' + program + '?' + index).catch(() => undefined);
      process.stdout.write('\\0');
    }
    process.exitCode = 0;
  `;
  const help = new Map<string, string>();
  beforeAll(async () => {
    const readHelp = async ([program, main]: [program: string, main: string]) => {
      const names = [...used.keys()].filter((name) => name.startsWith(`${program} `));
      const input = JSON.stringify([main, ...names.map((name) => name.split(' ').slice(1))]);
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PRINT_HELP, input]);
      for (const [index, text] of stdout.split('\0').entries()) help.set(names[index] ?? '', text);
    };
    await Promise.all(Object.entries(MAIN).map(readHelp));
  });

  it.each([...used])('%s', (name, options) => {
    expect(help.get(name)).toContain(`Usage: ${name}`);
    expect([...options].filter((option) => !new RegExp(`${option}\\b`).test(help.get(name)!))).toEqual([]);
  });
});

describe('docs/runbook.md', () => {
  const text = read('docs/runbook.md');
  const alerts = [...read('deploy/alerts.yml').matchAll(/alert: (\w+)/g)].map(([, code = '']) => code);
  /** The console has these alone: the relayer has no metric for them. */
  const ofConsole = ['Paused', 'ApprovalsWait', 'RefundsWait'];

  it.each([...new Set([...alerts, ...ofConsole, ...Object.keys(NOTIFICATIONS)])])(
    'says of %s what it means, who notices it, what to do, and when it is over',
    (code) => {
      const [, section = ''] = new RegExp(`^## ${code}\\n([\\s\\S]*?)(?=^## )`, 'm').exec(text) ?? [];
      expect(section).toMatch(/^\*\*Means:\*\* /m);
      expect(section).toMatch(/^\*\*Users:\*\* /m);
      expect(section).toMatch(/^1\. /m);
      expect(section).toMatch(/^\*\*Over:\*\* /m);
    },
  );

  it.each([...Object.keys(REFUSAL_REASONS), 'ABOVE_OWN_LIMIT'])(
    'says what to do when attesters refuse for %s',
    (reason) => {
      const [, refusals] = /^### Refusals\n([\s\S]*?)(?=^### )/m.exec(text) ?? [];
      expect(refusals).toMatch(new RegExp(`^- \`${reason}\`: .*(?:wait|reject|refuse|rebuild|approve|\\]\\(#)`, 'm'));
    },
  );

  it.each(DELAY_REASONS)('leads from %s to a step', (reason) => {
    expect(text).toMatch(new RegExp(`^- \`${reason}\`: .*(?:wait|\\]\\(#)`, 'm'));
  });
});

describe('the pages of errors', () => {
  const SOURCES = globSync(['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts'], { cwd: ROOT });
  const paths = SOURCES.flatMap((file) => [...read(file).matchAll(/\bdocsPath = '([^']+)'/g)].map(([, path]) => path));

  it.each([...new Set(paths)])('%s is there', (path = '') => {
    const [page = '', id = ''] = path.split('#');
    expect(existsSync(join(ROOT, 'docs', page))).toBe(true);
    if (id !== '') expect(headingIds(`docs/${page}`)).toContain(id);
  });
});

describe('docs/errors.md', () => {
  const sections = new Map(
    read('docs/errors.md')
      .split(/^##+ /m)
      .map((section) => [section.slice(0, section.indexOf('\n')), section]),
  );
  const classes = ['packages/sdk/src/errors.ts', 'packages/cli/src/errors.ts'].flatMap((file) =>
    [...read(file).matchAll(/^export class (\w+)/gm)].map(([, name = '']) => name),
  );
  const reasons = [...DELAY_REASONS, ...Object.keys(FAILURE_REASONS), ...STALL_REASONS, ...UNPAYABLE_REASONS];

  it.each([...new Set([...Object.keys(ERROR_CODES), ...reasons, ...UNDELIVERABLE_REASONS, ...classes])])(
    'says of %s what to do',
    (name) => expect(sections.get(name)).toMatch(/^\*\*Do:\*\* ./m),
  );

  it.each(Object.entries(ERROR_CODES))(
    '%s has its HTTP status, and a command that provokes it',
    (code, { httpStatus }) => {
      expect(sections.get(code)).toContain(`\nHTTP ${httpStatus}. `);
      expect(sections.get(code)).toMatch(/^```sh\n.*curl -sS/m);
    },
  );

  it.each([...sections].filter(([, section]) => section.includes('$CONTROL/reach')))(
    '%s is what its scenario reaches',
    // A failure is reached by the status or the code of an operation that has it.
    (code, section) => expect(section.includes(`"${code}"`) || Object.hasOwn(FAILURE_REASONS, code)).toBe(true),
  );
});

describe('the code blocks of docs', () => {
  const DOCS_TEST = 'e2e/test/docs.test.ts';
  const INTEGRATION = 'e2e/test/integration/integrator-programs.ts';
  /** The test that runs or checks the blocks of a language on a page. */
  const RUN_BY: Readonly<Record<string, string>> = {
    'docs/chain/gateway.md json': 'apps/gateway/test/embedded/genesis.test.ts',
    'docs/chain/json-rpc.md sh': DOCS_TEST,
    'docs/chain/smart-accounts.md js': 'apps/gateway/test/clients/smart-accounts.test.ts',
    'docs/contribute/adding.md json': 'contracts/deploy/deployment-config.test.ts',
    'docs/contribute/debugging.md sql': DOCS_TEST,
    'docs/contribute/testing.md sh': 'e2e/chaos/chaos.test.ts',
    // Those of `$CONTROL`: tools/stack/test/nightly/scenarios.test.ts.
    'docs/errors.md sh': DOCS_TEST,
    'docs/integrate/command.md sh': 'e2e/test/sdk/command-line.ts',
    'docs/integrate/contracts.md ts': INTEGRATION,
    'docs/integrate/react.md tsx': 'e2e/test/sdk/react-page.ts',
    'docs/integrate/rest.md sh': DOCS_TEST,
    'docs/integrate/rest.md ts': INTEGRATION,
    'docs/integrate/sdk.md ts': INTEGRATION,
    'docs/integrate/stack.md js': 'tools/stack/test/packed-stack.ts',
    'docs/integrate/stack.md sh': DOCS_TEST,
    'docs/integrate/start.md js': DOCS_TEST,
    'docs/integrate/start.md json': DOCS_TEST,
    'docs/integrate/start.md sh': DOCS_TEST,
    'docs/integrate/start.md ts': INTEGRATION,
    'docs/operate/run.md sh': DOCS_TEST,
    'docs/operate/setup.md sh': 'e2e/test/nightly/testnet.test.ts',
    'docs/operate/team.md sh': DOCS_TEST,
    'docs/operate/upgrade.md sh': DOCS_TEST,
    'docs/runbook.md sh': DOCS_TEST,
    'docs/runbook.md sql': DOCS_TEST,
  };
  const kinds = PAGES.filter((page) => page.startsWith('docs/')).flatMap((page) => {
    const fences = read(page).matchAll(/^ *```(sh|bash|js|mjs|tsx?|py|sql|json)( no-run)?\n[\s\S]*?^ *```/gm);
    return [...fences].flatMap(([, language = '', noRun]) => (noRun === undefined ? [`${page} ${language}`] : []));
  });

  it.each([...new Set(kinds)])('%s: a test runs them, or they say no-run', (kind) => {
    const test = RUN_BY[kind] ?? 'none';
    expect(test).not.toBe('none');
    expect(read(test)).toContain(basename(kind.split(' ')[0] ?? '', '.md'));
  });

  it('are all there that a test should run', () => {
    expect(Object.keys(RUN_BY).filter((kind) => !kinds.includes(kind))).toEqual([]);
  });
});

describe('the drill at night', () => {
  it('has a fault for each alert, or a reason why not', () => {
    const listed = [...FAULTS.flatMap(({ alerts }) => alerts), ...Object.keys(NOT_INJECTED)];
    expect(listed.toSorted()).toEqual(Object.keys(ALERTS).toSorted());
  });
});
