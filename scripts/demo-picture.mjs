import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import './check-node.mjs';

// Runs the demo and draws its final terminal output as docs/images/demo.svg. Only times differ between runs.
// Usage: npx pnpm@12.21.0 exec node scripts/demo-picture.mjs

const root = join(import.meta.dirname, '..');
const PICTURE = join(root, 'docs/images/demo.svg');
/** The demo keeps to 80 columns. */
const COLUMNS = 80;
const FONT = { size: 14, advance: 8.43, line: 17 };
const MARGIN = { x: 20, top: 52, bottom: 20 };
/** The demo's SGR codes as classes; 22 ends bold and dim, 39 ends a colour. */
const CLASSES = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' };
const ENDS = { 0: Object.values(CLASSES), 22: ['bold', 'dim'], 39: ['red', 'green', 'yellow', 'cyan'] };
// eslint-disable-next-line no-control-regex -- an escape sequence starts with a control character
const SGR = /\u001B\[([\d;]*)m/;

/** The title of a transfer in a line about its status. */
const TRANSFER = /^\s*\d+\.\d s {2}(\S+ (?:in|out): \S+)/;

writeFileSync(PICTURE, draw(`$ npx pnpm@12.21.0 demo\n${lastFrame(runDemo())}`.split('\n')));

/** Returns the demo's output, in colour. Its packages must be built. */
function runDemo() {
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'scripts/run.mjs'), 'demo'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FORCE_COLOR: '1' },
  });
  if (status !== 0) throw new Error(`The demo ended with code ${status}:\n${stdout}`);
  const start = stdout.indexOf('- starting ');
  return stdout.slice(start).trimEnd();
}

/** Returns the last lines, because a terminal redraws each transfer's line at the position of the first. */
function lastFrame(output) {
  const lines = output.split('\n');
  const findTitle = (line) => TRANSFER.exec(stripVTControlCharacters(line))?.[1];
  const last = new Map(lines.map((line) => [findTitle(line), line]));
  const shown = new Set();
  return lines
    .flatMap((line) => {
      const title = findTitle(line);
      if (title === undefined) return [line];
      if (shown.has(title)) return [];
      shown.add(title);
      return [last.get(title)];
    })
    .join('\n');
}

function draw(lines) {
  const width = Math.ceil(COLUMNS * FONT.advance) + 2 * MARGIN.x;
  const height = MARGIN.top + lines.length * FONT.line + MARGIN.bottom;
  const texts = lines.flatMap((line, index) => {
    if (line === '') return [];
    const y = MARGIN.top + (index + 1) * FONT.line - 4;
    return [`<text x="${MARGIN.x}" y="${y}" xml:space="preserve">${toSpans(line)}</text>`];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img">`,
    '<title>A terminal after the demo: seven transfers completed, and every balance right to the last unit</title>',
    `<style>text{font:${FONT.size}px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d7dde4}`,
    '.bold{font-weight:bold}.dim{opacity:.65}.red{fill:#ff7b72}.green{fill:#56d364}.yellow{fill:#e3b341}.cyan{fill:#6cc7f5}</style>',
    `<rect width="${width}" height="${height}" rx="10" fill="#12171e"/>`,
    '<circle cx="24" cy="24" r="6" fill="#ff5f57"/><circle cx="44" cy="24" r="6" fill="#febc2e"/><circle cx="64" cy="24" r="6" fill="#28c840"/>',
    ...texts,
    '</svg>',
    '',
  ].join('\n');
}

/** Converts colour escape sequences to spans. */
function toSpans(line) {
  const active = new Set();
  // Text at even indexes, codes of a sequence at odd ones.
  const parts = line.split(SGR).map((part, index) => {
    if (index % 2 === 0) return span(part, active);
    for (const code of part.split(';')) {
      for (const ended of ENDS[code || 0] ?? []) active.delete(ended);
      if (code in CLASSES) active.add(CLASSES[code]);
    }
    return '';
  });
  return parts.join('');
}

function span(text, active) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return active.size === 0 || text === '' ? escaped : `<tspan class="${[...active].join(' ')}">${escaped}</tspan>`;
}
