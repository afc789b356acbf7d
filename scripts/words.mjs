import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

// Finds phrases and names that docs/glossary.md rules out, and says what to write instead. Phrases are looked for in
// comments, string literals and documents; names of functions in code. A text in `backticks` may quote anything.

/** Not the factory: a comment changes its code, and with it its address and those of all that it deploys. */
const NOT_THE_FACTORY = /(?<!BridgeFactory\.sol)$/;

/** Phrases in prose: pattern, suggestion, and optionally the only files where it applies. */
const PHRASES = [
  [/\b(?:is|are|was|were|be|been|being) told\b/i, '"receives", "is notified", "the call returns"'],
  [/\b(?:hear|hears|heard) of\b/i, '"receives", "reads"'],
  [/\btell(?:s|ing)? (?:of|what|whether|it|them)\b/i, '"reports", "returns", "notifies"'],
  [/\b(?:whoever|whomever)\b/i, 'name the subject: "the caller", "any client"'],
  [
    /(?<!\bthere )\bis no (?!longer\b|more\b|less\b|greater\b|later\b|earlier\b|different\b|such\b|other\b|way\b)[a-z]/i,
    '"is not a ..."; "there is no ..." is fine',
  ],
  [/\bfor good\b/i, '"permanently"'],
  [/\bat once\b/i, '"immediately", "at the same time", "in one call"'],
  [/\banew\b/i, '"again", "a new ..."'],
  [/\bon (?:its|their) way\b/i, '"pending", "in flight", "sent"'],
  [/\bg(?:ive|ives|ave|iving) back\b/i, '"returns"'],
  [/\bby (?:itself|themselves)\b/i, '"automatically", "alone"'],
  [/\btak(?:e|es|en|ing) (?:\w+ ){0,3}for (?:final|granted|true|valid|one|an?)\b/i, '"treats ... as ..."'],
  [/\bso many\b/i, 'the number, "this many", "n"'],
  [/\bwhat (?:is|are)\b(?![^.]*\?)/i, 'a noun: "the result", "the remaining rows"'],
  [/(?:^|[.:;!] )Who (?:is|was|has|does|did)\b(?![^.]*\?)/, 'a noun as the subject: "the account that ..."'],
  // Not NOBODY: that is a name in a template.
  [
    /(?<!user )\b(?:[Nn]obody|[Ss]omebody|[Aa]nybody)\b/,
    'name the subject: "no caller", "another client", "any account"',
    NOT_THE_FACTORY,
  ],
];

/** The beginning of a comment, with its marker: pattern, suggestion, and the only files where it applies. */
const COMMENT_STARTS = [[/^\s*(?:\/\/+|\/?\*+)\s*What\b/, 'a noun or a verb first: "The facts that ...", "Reads ..."']];

/** A function named with a noun, declared or called without its object. Strings, and so names of ABIs, do not count. */
const NOUN_FUNCTION = /\b(?:(?<!\.)(?!valueOf\b|encodeBalanceOf\b)[a-z]\w*Of(?=[(<]|\??: (?:async )?\())\b/;
const VERB_FIRST = 'a verb first: getX, findX (may be null), toX, readX (I/O), makeX, computeX';
const TYPESCRIPT = /\.(?:ts|tsx|mts|mjs)$/;

const EXEMPT = /^(?:scripts\/words\.mjs|docs\/glossary\.md|docs\/reference\/.*|.*CHANGELOG\.md|.*\/api\.md)$/;
const CODE = /\.(?:ts|tsx|mts|mjs|sol)$/;

/** Splits a source text into code and prose. Both keep all line numbers: the other part is blank. */
function split(text) {
  const tokens = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
  const blank = (part) => part.replace(/[^\n]/g, ' ');
  let code = '';
  let prose = '';
  let end = 0;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    code += text.slice(end, index) + blank(token);
    prose += blank(text.slice(end, index)) + token;
    end = index + token.length;
  }
  return { code: code + text.slice(end), prose: prose + blank(text.slice(end)) };
}

/** Takes `quoted` parts out of a comment or a document. */
const withoutQuotes = (line) => line.replace(/`[^`]*`/g, (quote) => ' '.repeat(quote.length));

const { values: flags } = parseArgs({ options: { root: { type: 'string' } } });
const root = resolve(flags.root ?? join(import.meta.dirname, '..'));
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });
const found = [];

for (const file of listed.split('\0')) {
  if (EXEMPT.test(file) || !(CODE.test(file) || file.endsWith('.md'))) continue;
  let text;
  try {
    text = readFileSync(join(root, file), 'utf8');
  } catch {
    // Deleted, and the deletion is not staged yet.
    continue;
  }
  const { code, prose } = CODE.test(file) ? split(text) : { code: '', prose: text };
  for (const [index, line] of prose.split('\n').entries()) {
    // In code a template literal is prose too; in a comment or a document backticks quote a name.
    const words = file.endsWith('.md') || /^\s*(?:\/\/|\*|\/\*)/.test(line) ? withoutQuotes(line) : line;
    const start = words.replace(/^[\s/*]+/, '');
    const looks = PHRASES.map((phrase) => [start, ...phrase]);
    if (CODE.test(file)) looks.push(...COMMENT_STARTS.map((phrase) => [words, ...phrase]));
    for (const [searched, pattern, suggestion, files = /^/] of looks) {
      const match = files.test(file) ? pattern.exec(searched) : null;
      if (match !== null) found.push([file, index + 1, match[0].trim(), suggestion]);
    }
  }
  for (const [index, line] of code.split('\n').entries()) {
    const match = TYPESCRIPT.test(file) ? NOUN_FUNCTION.exec(line) : null;
    if (match !== null) found.push([file, index + 1, match[0], VERB_FIRST]);
  }
}

for (const [file, line, words, suggestion] of found) {
  console.log(`${file}:${line}  ${words}  ->  ${suggestion}`);
}
if (found.length > 0) console.log(`${found.length} places use words that docs/glossary.md rules out`);
process.exitCode = found.length > 0 ? 1 : 0;
