import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BridgeError } from '@causeway/protocol';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { getPath } from '../server/errors.js';
import { acceptsGzip, getCacheControl, listFiles } from '../server/static-files.js';
import { Access } from './access/access.js';

/** Names of files below this path contain a hash of their content. */
const HASHED = '/assets/';
const NONCE = '__CSP_NONCE__';
const NOT_BUILT =
  'The console is not built: run npx pnpm@12.21.0 --filter @causeway/admin... run build, and start again';

/** The built console, in memory because it is small and does not change while the process runs. */
export interface ConsoleFiles {
  /** The page, with a placeholder for the nonce. */
  readonly page: string;
  /** Files by path, such as `/assets/index-1a2b.js`. */
  readonly files: ReadonlyMap<string, { readonly type: string; readonly plain: Buffer; readonly zipped: Buffer }>;
}

/** The injection token of the `ConsoleFiles`; null when the console is not built. */
export const CONSOLE_FILES = Symbol('ConsoleFiles');

/** Reads the built console of `@causeway/admin`; null when it is not built. */
export function readConsole(): ConsoleFiles | null {
  const folder = builtFolder();
  if (folder === null) return null;
  const files = listFiles(folder).flatMap(({ name, type }) => {
    if (type.startsWith('text/html')) return [];
    const plain = readFileSync(join(folder, name));
    return [[`/${name}`, { type, plain, zipped: gzipSync(plain, { level: 9 }) }] as const];
  });
  return { page: readFileSync(join(folder, 'index.html'), 'utf8'), files: new Map(files) };
}

function builtFolder(): string | null {
  try {
    const page = createRequire(import.meta.url).resolve('@causeway/admin/index.html');
    return existsSync(page) ? dirname(page) : null;
  } catch {
    // The package is not installed.
    return null;
  }
}

/** Serves the console's files, and its page at every other path, since the page has its own routes. */
@Controller()
export class ConsoleController {
  constructor(@Inject(CONSOLE_FILES) private readonly console: ConsoleFiles | null) {}

  /** `GET /`: the page. */
  @Get()
  @Access('anyone')
  page(@Res() reply: FastifyReply): void {
    this.sendPage(reply);
  }

  /** `GET` of any other path outside `/api`. */
  @Get('*')
  @Access('anyone')
  file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const path = getPath(request);
    if (path.startsWith('/api/') || path === '/api')
      throw new BridgeError('NOT_FOUND', `${request.method} ${path} is not an endpoint of this API`);
    const found = this.console?.files.get(path);
    if (found === undefined) {
      // A tab with an earlier build must not receive the page instead of a script.
      if (path.startsWith(HASHED) && this.console !== null)
        throw new BridgeError('NOT_FOUND', 'This console has no such file; reload the page');
      this.sendPage(reply);
      return;
    }
    const isZipped = acceptsGzip(request.headers['accept-encoding']);
    void reply
      .header('cache-control', getCacheControl(path.startsWith(HASHED)))
      .header('vary', 'Accept-Encoding')
      .headers(isZipped ? { 'content-encoding': 'gzip' } : {})
      .type(found.type)
      .send(isZipped ? found.zipped : found.plain);
  }

  private sendPage(reply: FastifyReply): void {
    if (this.console === null) throw new BridgeError('NOT_FOUND', NOT_BUILT);
    const nonce = randomBytes(16).toString('base64');
    void reply
      .header('content-security-policy', policyWith(nonce))
      .type('text/html; charset=utf-8')
      .send(this.console.page.replaceAll(NONCE, nonce));
  }
}

/**
 * The page runs only the scripts named here and those they load, and connects only to this server. Trusted Types make
 * it throw if a script writes text from chains or users as HTML.
 */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}
