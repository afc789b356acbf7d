import { readdirSync } from 'node:fs';
import { extname, sep } from 'node:path';

/** Content types by extension. Files of other types are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.pagefind': 'application/octet-stream',
  '.pf_fragment': 'application/octet-stream',
  '.pf_index': 'application/octet-stream',
  '.pf_meta': 'application/octet-stream',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/**
 * Lists the files of a folder that can be served, with their content types.
 *
 * @returns paths separated by `/`, without hidden files and folders.
 */
export function listFiles(folder: string): readonly { readonly name: string; readonly type: string }[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.split(sep).join('/'));
  return names.flatMap((name) => {
    const type = TYPES[extname(name)];
    return type === undefined || name.startsWith('.') ? [] : [{ name, type }];
  });
}

/** The Cache-Control of a file. A file whose name contains its content hash never changes. */
export function getCacheControl(isHashed: boolean): string {
  return isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
}

/** Whether gzip is accepted (RFC 9110, section 12.5.3): named or `*`, without the weight 0. */
export function acceptsGzip(header: string | undefined): boolean {
  return (header ?? '').split(',').some((entry) => /^\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(entry));
}
