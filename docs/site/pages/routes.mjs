import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');
/** The path under which the site is served. */
export const BASE = '/docs';
const IMAGES = new Set(['.jpg', '.png', '.svg']);

/** Pages whose address is not that of their file. */
const ROUTES = { 'README.md': 'readme', 'SECURITY.md': 'security-policy', 'docs/README.md': 'index' };

/** The address of a page by the path of its file: `docs/use.md` is `use`, `docs/decisions/README.md` is `decisions`. */
export function getRoute(file) {
  const path = file.replace(/^docs\//, '').replace(/(?:\/README)?\.md$/, '');
  return ROUTES[file] ?? path.replace('errors.md#', 'errors/').toLowerCase();
}

/**
 * Where a link of a page leads.
 *
 * @param from path of the page's file.
 * @param link relative to it.
 * @param pages all pages by the paths of their files. A page of an error has its anchor in its path.
 * @returns `{ page, id }`, `{ file }` for a file that is not a page, or null for a folder.
 * @throws Error when there is no such file.
 */
export function resolveLink(from, link, pages) {
  const [path, id] = link.split('#');
  const own = from.split('#')[0];
  const target = path === '' ? own : join(dirname(own), decodeURIComponent(path)).replace(/\/$/, '');
  const contract = `docs/reference/contracts/${basename(target, '.sol')}.md`;
  for (const file of [
    `${target}#${id}`,
    target,
    `${target}/README.md`,
    ...(extname(target) === '.sol' ? [contract] : []),
  ]) {
    const page = pages.get(file);
    if (page !== undefined) return { page, id: file.includes('#') ? undefined : id };
  }
  if (!existsSync(join(ROOT, target))) throw new Error(`${from} links to ${link}, which does not exist`);
  return statSync(join(ROOT, target)).isDirectory() ? null : { file: target };
}

/** The address of a file that is not a page, below the base: text for people to read, or an image. */
export function assetPath(file) {
  return IMAGES.has(extname(file)) ? `files/${file}` : `files/${file}.txt`;
}

const TARGET = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)|^(\[[^\]]+\]: )(\S+)|\b(src|srcset)="([^"]+)"/gm;

/**
 * Replaces the links of a Markdown text, but those in code.
 *
 * @param replace returns the new target of a link, the same for one that stays, or null for none.
 */
export function replaceLinks(text, replace) {
  const kept = [];
  const keep = (code) => `\0${kept.push(code) - 1}\0`;
  const masked = text.replaceAll(/^( *)```[\s\S]*?^\1```/gm, keep).replaceAll(/`[^`\n]*`/g, keep);
  const replaced = masked.replaceAll(TARGET, (whole, image, label, link, definition, defined, attribute, source) => {
    const old = link ?? defined ?? source;
    const target = /^[a-z]+:/i.test(old) ? old : replace(old);
    if (link !== undefined) return target === null ? label : `${image}[${label}](${target})`;
    return definition === undefined ? `${attribute}="${target}"` : `${definition}${target}`;
  });
  return unmask(replaced, kept);
}

function unmask(text, kept) {
  const whole = text.replaceAll(/\0(\d+)\0/g, (_, index) => kept[index]);
  return whole.includes('\0') ? unmask(whole, kept) : whole;
}

/** Reads a file of the repository. */
export const read = (file) => readFileSync(join(ROOT, file), 'utf8');
