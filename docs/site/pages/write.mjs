import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { assetPath, BASE, replaceLinks, resolveLink, ROOT, getRoute } from './routes.mjs';
import { orderPages } from './sidebar.mjs';

const FOLDER = join(import.meta.dirname, '../generated');

/**
 * Writes what Astro builds: the pages with their links, title and description in its form, the Markdown copies, the
 * files that pages link to, the sidebar and llms.txt.
 *
 * @param texts Markdown by the path of its file in the repository.
 * @returns the number of pages.
 */
export function writePages(texts) {
  rmSync(FOLDER, { recursive: true, force: true });
  const pages = new Map([...texts].map(([file, text]) => [file, describe(file, text)]));
  for (const [file, page] of pages) {
    write(
      `content/${page.route}.md`,
      frontMatter(page) +
        toSite(relink(file, page.body, pages, (route) => (route === 'index' ? `${BASE}/` : `${BASE}/${route}/`))),
    );
    write(
      `public/${page.route}.md`,
      `# ${page.title}\n\n${relink(file, page.body, pages, (route) => `${BASE}/${route}.md`)}`,
    );
  }
  const routes = new Set([...pages.values()].map(({ route }) => route));
  if (routes.size < pages.size) throw new Error('Two pages have one address');
  const groups = orderPages(pages);
  cpSync(join(ROOT, 'apps/admin/public/icon.svg'), join(FOLDER, 'public/favicon.svg'));
  write('sidebar.json', JSON.stringify(groups.map(({ label, items, collapsed }) => ({ label, items, collapsed }))));
  write('public/llms.txt', listPages(groups, pages));
  return pages.size;
}

function write(path, text) {
  const target = join(FOLDER, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

/** Takes a text apart: its title, the first sentence after it, and everything below the title. */
function describe(file, text) {
  const [, heading, body] = /^(?:<!--[\s\S]*?-->\s*)?# (.+)\n([\s\S]*)$/.exec(text) ?? [];
  if (heading === undefined) throw new Error(`${file} has no title`);
  return {
    file,
    route: getRoute(file),
    title: plain(heading),
    description: firstSentence(body),
    body: body.trimStart(),
  };
}

function firstSentence(body) {
  const paragraph = body.split('\n\n').find((block) => /^\s*[\p{L}`*[]/u.test(block)) ?? '';
  // The status of a refusal is not a sentence.
  return /^(?:HTTP \d+\. )?.*?\.(?=\s|$)|^.*$/s.exec(plain(paragraph))[0];
}

/** A text without the marks of Markdown. */
function plain(text) {
  const withoutLinks = text.replaceAll(/!?\[((?:[^[\]]|\[[^\]]*\])*)\]\([^)]*\)/g, '$1');
  return withoutLinks
    .replaceAll(/[`*]|<[^>]+>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The head of a page names its Markdown copy. */
function frontMatter({ title, description, route }) {
  const alternate = { rel: 'alternate', type: 'text/markdown', href: `${BASE}/${route}.md` };
  const data = { title, description, head: [{ tag: 'link', attrs: alternate }] };
  return `---\n${JSON.stringify(data)}\n---\n\n`;
}

/** Diagrams, as the script of the page expects them. */
function toSite(text) {
  return text.replaceAll(/^```mermaid\n([\s\S]*?)^```/gm, (_, diagram) => {
    const escaped = diagram.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return `<pre class="mermaid" data-pagefind-ignore>\n${escaped}</pre>`;
  });
}

/** Replaces relative links by addresses of the site, and copies the files that they lead to. */
function relink(from, body, pages, getAddress) {
  return replaceLinks(body, (link) => {
    const target = resolveLink(from, link, pages);
    if (target === null) return null;
    if (target.page === undefined) {
      const path = assetPath(target.file);
      cpSync(join(ROOT, target.file), join(FOLDER, 'public', path));
      return `${BASE}/${path}`;
    }
    const id = target.id === undefined ? '' : `#${target.id}`;
    if (target.page.file === from && id !== '') return id;
    return getAddress(target.page.route) + id;
  });
}

/** https://llmstxt.org: the pages by group, each with its first sentence. */
function listPages(groups, pages) {
  const byRoute = new Map([...pages.values()].map((page) => [page.route, page]));
  const lines = groups.flatMap(({ label, routes }) => [
    `\n## ${label}\n`,
    ...routes.map((route) => {
      const { title, description } = byRoute.get(route);
      return `- [${title}](${BASE}/${route}.md)${description === '' ? '' : `: ${description}`}`;
    }),
  ]);
  const lead = 'A bridge for ETH, USDC and XCN between Ethereum and a partner chain.';
  return `# Causeway\n\n> ${lead} Each page is here as Markdown; its HTML is at the same address with / for .md.\n${lines.join('\n')}\n`;
}
