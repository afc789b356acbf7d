import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

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

/** A file of a built page, in memory because it does not change while the process runs. */
export class StaticFile {
  private zipped: Promise<Buffer> | undefined;

  /** @param isHashed its name contains a hash of its content, so it never changes. */
  constructor(
    readonly type: string,
    readonly plain: Buffer,
    private readonly isHashed: boolean,
  ) {}

  /** Sends the file, compressed if the client accepts it. The caller sets the status and other headers. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const isZipped = acceptsGzip(request.headers['accept-encoding']);
    if (isZipped) this.zipped ??= promisify(gzip)(this.plain);
    const content = isZipped ? await this.zipped : this.plain;
    void reply
      .header('cache-control', this.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      .header('vary', 'Accept-Encoding')
      .headers(isZipped ? { 'content-encoding': 'gzip' } : {})
      .type(this.type)
      .send(content);
  }
}

/** Files by path, such as `/assets/index-1a2b.js`. Only these are served, so no path leads out of the folder. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

/**
 * Reads the files of a folder that can be served, without hidden files and folders.
 *
 * @param hashed prefix of the paths whose names contain a hash of the content.
 */
export function readStaticFiles(folder: string, hashed: string): StaticFiles {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
    (name) => `/${name.split(sep).join('/')}`,
  );
  const files = paths.flatMap((path) => {
    const type = TYPES[extname(path)];
    if (type === undefined || path.startsWith('/.')) return [];
    return [[path, new StaticFile(type, readFileSync(join(folder, path)), path.startsWith(hashed))] as const];
  });
  return new Map(files);
}

/** Whether gzip is accepted (RFC 9110, section 12.5.3): named or `*`, without the weight 0. */
function acceptsGzip(header: string | undefined): boolean {
  return (header ?? '').split(',').some((entry) => /^\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(entry));
}
