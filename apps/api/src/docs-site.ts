import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BridgeError } from '@causeway/protocol';
import { ConfigurationError } from '@causeway/service/configuration';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { getPath } from './server/errors.js';
import { readStaticFiles, type StaticFiles } from './server/static-files.js';

/** Files by path below the site's address: `/use/` is a page, `/use.md` its text. */
export type DocsSite = StaticFiles;

/** The injection token of the `DocsSite`. */
export const DOCS_SITE = Symbol('DocsSite');

/** The page for every other path. */
export const NOT_FOUND_PAGE = '/404.html';
/** Names of files below this path contain a hash of their content. */
const HASHED = '/_astro/';

/** Inline scripts choose the colours; Pagefind, the search, is WebAssembly. Every source is this server. */
export const SITE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Reads a built site.
 *
 * @throws ConfigurationError when the folder does not have a site.
 */
export function readSite(folder: string): DocsSite {
  if (!existsSync(join(folder, NOT_FOUND_PAGE)))
    throw new ConfigurationError([
      `DOCS_FOLDER ${folder} has no built site: run npx pnpm@12.21.0 run docs --build, and name docs/site/dist`,
    ]);
  const files = [...readStaticFiles(folder, HASHED)];
  return new Map(files.map(([path, file]) => [path.replace(/\/index\.html$/, '/'), file]));
}

/** Serves the site of docs/ from DOCS_FOLDER. */
@Controller('docs')
export class DocsController {
  constructor(@Inject(DOCS_SITE) private readonly site: DocsSite) {}

  /** `GET /docs/` is the front page; `GET /docs` redirects to it. */
  @Get()
  async front(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (getPath(request).endsWith('/')) await this.send('/', request, reply);
    else void reply.redirect('docs/', 302);
  }

  /** `GET /docs/…`: a page, a file of a page, or its text. */
  @Get('*')
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.send(getPath(request).slice('/docs'.length), request, reply);
  }

  private async send(path: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.site.has(`${path}/`)) {
      void reply.redirect(`${path.slice(path.lastIndexOf('/') + 1)}/`, 302);
      return;
    }
    const found = this.site.get(path);
    const file = found ?? this.site.get(NOT_FOUND_PAGE);
    if (file === undefined) throw new BridgeError('NOT_FOUND', `The documentation has no ${path}`);
    void reply.status(found === undefined ? 404 : 200).header('content-security-policy', SITE_POLICY);
    await file.send(request, reply);
  }
}
