import { globSync } from 'node:fs';
import { extname, join, dirname } from 'node:path';
import { read, replaceLinks, ROOT } from './routes.mjs';

/** Written by tools, for tools. */
const EXCLUDED = /(?:^|\/)(?:CHANGELOG|api)\.md$/;

/** The pages of docs/, and every Markdown file of the repository that they lead to: Markdown by path. */
export function readGuides() {
  const texts = new Map();
  const queue = globSync('docs/**/*.md', { cwd: ROOT, exclude: ['docs/site/**'] });
  for (const file of queue) {
    if (texts.has(file)) continue;
    const text = read(file);
    texts.set(file, text);
    replaceLinks(text, (link) => {
      const path = link.split('#')[0];
      const target = join(dirname(file), path);
      if (path !== '' && extname(path) === '.md' && !EXCLUDED.test(path) && !target.startsWith('..'))
        queue.push(target);
      return link;
    });
  }
  const errors = texts.get('docs/errors.md');
  if (errors === undefined) return texts;
  texts.delete('docs/errors.md');
  return new Map([...texts, ...splitErrors(errors)]);
}

/** A page for each code of docs/errors.md, and one that lists them. A path has the heading's anchor. */
function splitErrors(text) {
  const [lead, ...sections] = text.split(/^(?=### )/m);
  const pages = new Map();
  let index = lead;
  for (const section of sections) {
    const [, code, rest] = /^### (\S+)\n([\s\S]*)$/.exec(section);
    const [body, group = ''] = rest.split(/^(?=## )/m);
    const id = code.toLowerCase();
    const terms = [...new Set(body.match(/\$(?:API|CONTROL)\b/g))].map((name) => `\`${name}\``).join(' and ');
    const note = terms === '' ? '' : `\n[Errors and delays](errors.md) says what ${terms} is.\n`;
    pages.set(`docs/errors.md#${id}`, `# ${code}\n${body.trimEnd()}\n${note}`);
    index += `- [${code}](#${id}): ${/\S.*/.exec(body)[0]}\n${group === '' ? '' : `\n${group}`}`;
  }
  return new Map([['docs/errors.md', index], ...pages]);
}
