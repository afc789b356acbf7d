import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The attributes that load or link to something. */
const TARGET = /<[^>]*?\s(?:href|src)="([^"]*)"/g;

/**
 * Checks the links of a built site.
 *
 * @param folder of the site.
 * @param base path that the site is served under, such as `/docs`.
 * @returns one line for each link that leads nowhere, and for each script, style or image of another host.
 */
export function checkSite(folder, base) {
  const files = globSync('**/*.html', { cwd: folder });
  const pages = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  const ids = new Map(
    [...pages].map(([file, text]) => [file, new Set([...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id))]),
  );
  const problems = new Set();
  for (const [file, text] of pages) {
    for (const [tag, raw] of text.matchAll(TARGET)) {
      const target = raw.replaceAll('&amp;', '&');
      if (/^(?:mailto|data):/.test(target) || target === '') continue;
      if (/^(?:[a-z]+:)?\/\//.test(target)) {
        if (!tag.startsWith('<a ')) problems.add(`${file} loads ${target}`);
        continue;
      }
      const [path, id] = target.split('#');
      const page = path === '' ? file : find(path);
      if (page === null) problems.add(`${file} links to ${target}, which is not there`);
      else if (id && pages.has(page) && !ids.get(page).has(decodeURIComponent(id)))
        problems.add(`${file} links to ${target}, a heading that is not there`);
    }
  }
  return [...problems];

  function find(path) {
    if (!path.startsWith(`${base}/`)) return null;
    const file = decodeURIComponent(path.slice(base.length + 1));
    const page = file === '' || file.endsWith('/') ? `${file}index.html` : file;
    return pages.has(page) || existsSync(join(folder, page)) ? page : null;
  }
}
