import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

// Finds functions in TypeScript and JavaScript with a noun as name, and suggests what to write instead.

/** A function named `xOf`, declared or called without its object. */
const NOUN_FUNCTION = /\b(?:(?<!\.)(?!valueOf\b|encodeBalanceOf\b)[a-z]\w*Of(?=[(<]|\??: (?:async )?\())\b/;
const SUGGESTION = 'a verb first: getX, findX (may be null), toX, readX (I/O), makeX, computeX';
const CODE = /\.(?:ts|tsx|mts|mjs)$/;
/** Matches comments and strings, which can contain names of ABIs. */
const PROSE = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

/** Blanks out comments and strings, and keeps the line numbers. */
const readCode = (text) => text.replace(PROSE, (part) => part.replace(/[^\n]/g, ' '));

const { values: flags } = parseArgs({ options: { root: { type: 'string' } } });
const root = resolve(flags.root ?? join(import.meta.dirname, '..'));
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });

// A file whose deletion is not staged is listed, but does not exist.
const files = listed.split('\0').filter((file) => CODE.test(file) && existsSync(join(root, file)));
const found = files.flatMap((file) =>
  readCode(readFileSync(join(root, file), 'utf8'))
    .split('\n')
    .flatMap((line, index) => {
      const match = NOUN_FUNCTION.exec(line);
      return match === null ? [] : [`${file}:${index + 1}  ${match[0]}  ->  ${SUGGESTION}`];
    }),
);

for (const line of found) console.log(line);
if (found.length > 0) console.log(`${found.length} functions are named with a noun`);
process.exitCode = found.length > 0 ? 1 : 0;
