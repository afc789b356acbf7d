import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';

// Prints statistics of the source tree, and fails if a rule of form is violated.
const MAX_FILE_LINES = 400;
const MAX_FOLDER_FILES = 20;
const MAX_COMMENT_COLUMNS = 120;
const GENERATED = new Set(['node_modules', 'dist', 'generated', 'artifacts', 'cache', 'types', 'coverage']);
const VAGUE_NAMES = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'manager', 'managers']);
const TEST_FOLDERS = new Set([
  'simulation',
  'test',
  'tests',
  'bench',
  'test-sol',
  'e2e',
  'formal',
  'proofs',
  'conformance',
]);
/** Matches a file of a relayer stage: its class or its factory. */
const STAGE = /\bimplements Stage\b|\): Stage \{/;
const CODE = /\.(ts|tsx|mts|mjs|sol)$/;
const PRIVATE_NAME =
  /[\w)\]]\??\.#[A-Za-z_]|^\s*(?:(?:static|readonly|async|get|set|accessor)\s+)*#[A-Za-z_]\w*\s*[(=:;!?<]/;
const COMMENT = /^\s*(?:\/\/|\/\*|\*)|\s\/\/\s/;
const IMPORT = /(?:^|[;\s(])(?:import\s*\(?\s*|(?:import|export)\b[^;'"`=]*?from\s*)['"](\.{1,2}\/[^'"]+)['"]/gm;
const TEST_PACKAGE = /from '@causeway\/(?:test-kit|e2e)/;
const DECLARATION =
  /^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|const|let|class|interface|type|enum)\s+(?:\{([^}]*)\}|\[([^\]]*)\]|\w+)/gm;
const EXPORT_LIST = /^export\s+(?:type\s+)?\{([^}]*)\}\s*;/gm;

/** Columns of the table; after a colon, the name of the figure if it differs. */
const COLUMNS =
  'package:name files lines median p90 max <20%:percentUnder20 folders of-1-2:foldersOf1or2 ' +
  '>20:foldersAbove20 exports/1k:exportsPer1000 circle';

const { values: flags } = parseArgs({ options: { json: { type: 'boolean' }, root: { type: 'string' } } });
const root = resolve(flags.root ?? join(import.meta.dirname, '..'));
const violations = [];
const report = (rule, file, message, line) =>
  violations.push({ rule, file: relative(root, file), ...(line === undefined ? {} : { line }), message });

/** The testbed starts the test kit's processes for people who try the bridge. */
const isTestbed = (folder) => basename(folder) === 'testbed';

const apps = existsSync(join(root, 'apps')) ? readdirSync(join(root, 'apps')) : [];
/** Matches the name of an app's package, or a path into an app's folder. */
const APP = new RegExp(`['"\`/](?:@causeway/(?:${apps.join('|')})['"\`/]|apps/)`);

/** Returns whether a folder is a layer below the apps. Tools and e2e are not: they start apps and find their files. */
const isLower = (folder) => /^(?:contracts|packages)(?:$|\/)/.test(relative(root, folder));

/** Lists the folders of the workspace's packages. */
function packageFolders() {
  const yaml = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const patterns = /^packages:\n((?: {2}- .*\n)+)/m.exec(yaml)?.[1].match(/[^\s-].*$/gm) ?? [];
  return patterns
    .flatMap((pattern) => {
      if (!pattern.endsWith('/*')) return [join(root, pattern)];
      const parent = join(root, pattern.slice(0, -2));
      return existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [];
    })
    .filter((folder) => existsSync(join(folder, 'package.json')));
}

/** Lists all code files below a folder. */
function codeFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return GENERATED.has(entry.name) || entry.name.startsWith('.') ? [] : codeFiles(path);
    return CODE.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : [];
  });
}

const lineCount = (text) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
const names = (list = '') => list.split(',').filter((name) => name.trim() !== '').length;

/** Reads a file, reports violations in it, and returns the data for the figures. */
function readCode(path, folder) {
  const text = readFileSync(path, 'utf8');
  const lines = lineCount(text);
  if (lines > MAX_FILE_LINES) report('file-size', path, `${lines} lines; at most ${MAX_FILE_LINES}`);
  for (const [index, line] of text.split('\n').entries()) {
    // Not in contracts: a comment is part of the bytecode's metadata, so only a change of the contracts wraps them.
    if (line.length > MAX_COMMENT_COLUMNS && COMMENT.test(line)) {
      report('comment-width', path, `${line.length} columns; at most ${MAX_COMMENT_COLUMNS}`, index + 1);
    }
    if (!path.endsWith('.sol') && PRIVATE_NAME.test(line)) {
      report('private-name', path, 'write `private`, not #', index + 1);
    }
  }
  const code = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  if (isLower(folder) && APP.test(code)) report('arrows', path, 'a package must not refer to an app or its files');
  const parts = relative(folder, path).split(sep);
  const isTest = TEST_FOLDERS.has(basename(folder)) || parts.some((part) => TEST_FOLDERS.has(part));
  const isSource = /\.tsx?$/.test(path) && !isTest && !/\.(test|bench|config)\.tsx?$/.test(path);
  if (isSource && !isTestbed(folder) && TEST_PACKAGE.test(text))
    report('arrows', path, 'only tests and the testbed can import a test package');
  const declared = [...text.matchAll(DECLARATION)].reduce((sum, [, a, b]) => sum + (names(a ?? b) || 1), 0);
  const listed = [...text.matchAll(EXPORT_LIST)].reduce((sum, [, list]) => sum + names(list), 0);
  const imports = [...text.matchAll(IMPORT)].map(([, target]) => join(dirname(path), target));
  return {
    path,
    parts,
    lines,
    isSource,
    isStage: isSource && STAGE.test(text),
    isTest: isTest || /\.test\.tsx?$/.test(path),
    exports: declared + listed,
    imports,
  };
}

/** Returns the room of a path: a top folder as `name/`, or a file directly in `src` as `name`. */
function getRoom(path, folder) {
  const parts = relative(folder, path).split(sep);
  const inside = parts[0] === 'src' ? parts.slice(1) : parts;
  return inside.length > 1 ? `${inside[0]}/` : inside[0].replace(/\.[jt]sx?$/, '');
}

/** Reports an import cycle of rooms, and returns its length. */
function circleLength(sources, folder) {
  const arrows = new Map();
  for (const { path, imports } of sources) {
    const from = getRoom(path, folder);
    for (const target of imports) {
      const to = getRoom(target, folder);
      const shown = `${relative(folder, path)} -> ${relative(folder, target)}`;
      if (from !== to) arrows.set(from, new Map(arrows.get(from)).set(to, shown));
    }
  }
  const done = new Set();
  const find = (room, path) => {
    if (path.includes(room)) return [...path.slice(path.indexOf(room)), room];
    if (done.has(room)) return null;
    done.add(room);
    for (const to of arrows.get(room)?.keys() ?? []) {
      const circle = find(to, [...path, room]);
      if (circle !== null) return circle;
    }
    return null;
  };
  for (const room of arrows.keys()) {
    const [first, ...others] = find(room, []) ?? [];
    if (first === undefined) continue;
    const shown = others.map((to, index) => arrows.get([first, ...others][index]).get(to));
    report('circle', folder, shown.join('; '));
    return others.length;
  }
  return 0;
}

/** Checks that relayer stages communicate only through rows: no stage imports a file or folder of another. */
function checkStages(sources) {
  const files = new Set(sources.filter(({ isStage }) => isStage).map(({ path }) => path));
  const getStage = (path) => /\/stages\/[\w-]+(?=\/)/.exec(path)?.[0] ?? (files.has(path) ? path : undefined);
  for (const { path, imports } of sources) {
    for (const target of imports) {
      const [from, to] = [getStage(path), getStage(target.replace(/\.js$/, '.ts'))];
      if (from !== undefined && to !== undefined && from !== to)
        report('stage-imports', path, `a stage imports ${basename(target)}, which belongs to another stage`);
    }
  }
}

/** Reports folders by size and name, and counts those with source files. */
function folderFigures(files, folder) {
  const counts = new Map();
  for (const { path, isTest, parts } of files) {
    const beside = isTest && parts[0] === 'src';
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + (beside ? 0 : 1));
  }
  for (const [path, count] of counts) {
    const depth = relative(folder, path).split(sep).length;
    const hasFolders = [...counts.keys()].some((other) => other.startsWith(path + sep));
    if (count > MAX_FOLDER_FILES) report('folder-size', path, `${count} files; at most ${MAX_FOLDER_FILES}`);
    const isPrescribed = /(?:^|\/)(?:scripts|src\/tokens)$/.test(path);
    if (count === 1 && depth > 1 && !hasFolders && !isPrescribed)
      report('folder-size', path, 'a folder with only one file');
    if (VAGUE_NAMES.has(basename(path))) report('folder-name', path, 'use a noun or verb of the field');
  }
  const sourceFolders = [...new Set(files.filter((file) => file.isSource).map((file) => dirname(file.path)))];
  const sizes = sourceFolders.map(
    (path) => files.filter((file) => file.isSource && dirname(file.path) === path).length,
  );
  return {
    folders: sizes.length,
    foldersOf1or2: sizes.filter((size) => size <= 2).length,
    foldersAbove20: sizes.filter((size) => size > MAX_FOLDER_FILES).length,
  };
}

/** Computes the figures of a set of source files. */
function figures(name, sources, rest) {
  const sizes = sources.map((file) => file.lines).toSorted((a, b) => a - b);
  const lines = sizes.reduce((sum, size) => sum + size, 0);
  const exported = sources.reduce((sum, file) => sum + file.exports, 0);
  const middle = sizes.length >> 1;
  return {
    name,
    files: sizes.length,
    lines,
    median: sizes.length % 2 === 1 ? sizes[middle] : (sizes[middle - 1] + sizes[middle]) / 2,
    p90: sizes[Math.ceil(sizes.length * 0.9) - 1],
    max: sizes.at(-1),
    percentUnder20: Math.round((100 * sizes.filter((size) => size < 20).length) / sizes.length),
    exportsPer1000: Math.round((1_000 * exported) / lines),
    ...rest,
  };
}

const packages = packageFolders().map((folder) => {
  const manifest = join(folder, 'package.json');
  if (isLower(folder) && APP.test(readFileSync(manifest, 'utf8')))
    report('arrows', manifest, 'a package must not depend on an app');
  const files = codeFiles(folder).map((path) => readCode(path, folder));
  const sources = files.filter((file) => file.isSource);
  checkStages(sources);
  const rest = { ...folderFigures(files, folder), circle: circleLength(sources, folder) };
  return { sources, rest, row: figures(relative(root, folder), sources, rest) };
});
// The list of folders in docs/architecture.md: an item names one folder or several.
const page = join(root, 'docs/architecture.md');
const architecture = existsSync(page) ? readFileSync(page, 'utf8') : '';
const described = [...architecture.matchAll(/^- (`[\w/-]+`(?:, `[\w/-]+`)*): /gm)].flatMap(([, listed]) =>
  listed.replaceAll('`', '').split(', '),
);
const present = packageFolders().map((folder) => relative(root, folder));
for (const folder of present.filter((each) => architecture !== '' && !described.includes(each)))
  report('folders', page, `its list of folders lacks ${folder}`);
for (const folder of described.filter((each) => !present.includes(each)))
  report('folders', page, `its list of folders has ${folder}, which is not a package`);
const withSources = packages.filter(({ sources }) => sources.length > 0);
const sum = (key) => withSources.reduce((total, { rest }) => total + rest[key], 0);
const all = figures(
  'all',
  withSources.flatMap(({ sources }) => sources),
  Object.fromEntries(Object.keys(withSources[0].rest).map((key) => [key, sum(key)])),
);
const rows = [...withSources.map(({ row }) => row), all];

if (flags.json) {
  console.log(JSON.stringify({ rows, violations }, null, 2));
} else {
  const columns = COLUMNS.split(' ').map((column) => column.split(':'));
  const table = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([title, key = title]) => String(row[key]))),
  ];
  const widths = columns.map((_, column) => Math.max(...table.map((cells) => cells[column].length)));
  for (const cells of table) {
    console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '));
  }
  for (const { rule, file, line, message } of violations) {
    console.error(`${rule}  ${file}${line === undefined ? '' : `:${line}`}  ${message}`);
  }
  if (violations.length > 0) console.error(`${violations.length} violations of the rules of form`);
}
process.exitCode = violations.length > 0 ? 1 : 0;
