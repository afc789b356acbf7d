import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { BridgeError } from '@causeway/protocol';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { getPath } from '../server/errors.js';
import { readStaticFiles, type StaticFiles } from '../server/static-files.js';
import { Access } from './access/access.js';

/** Names of files below this path contain a hash of their content. */
const HASHED = '/assets/';
const PAGE = '/index.html';
const NONCE = '__CSP_NONCE__';
const NOT_BUILT =
  'The console is not built: run npx pnpm@12.21.0 --filter @causeway/admin... run build, and start again';

/** The built console. Its page has a placeholder for the nonce. */
export type ConsoleFiles = StaticFiles;

/** The injection token of the `ConsoleFiles`; null when the console is not built. */
export const CONSOLE_FILES = Symbol('ConsoleFiles');

/** Reads the built console of `@causeway/admin`; null when it is not built. */
export function readConsole(): ConsoleFiles | null {
  const folder = builtFolder();
  return folder === null ? null : readStaticFiles(folder, HASHED);
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
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const path = getPath(request);
    const file = path === PAGE ? undefined : this.console?.get(path);
    if (file !== undefined) return file.send(request, reply);
    // A tab with an earlier build must not receive the page instead of a script.
    if (path.startsWith(HASHED) && this.console !== null)
      throw new BridgeError('NOT_FOUND', 'This console has no such file; reload the page');
    this.sendPage(reply);
  }

  private sendPage(reply: FastifyReply): void {
    const page = this.console?.get(PAGE);
    if (page === undefined) throw new BridgeError('NOT_FOUND', NOT_BUILT);
    const nonce = randomBytes(16).toString('base64');
    void reply
      .header('content-security-policy', policyWith(nonce))
      .type(page.type)
      .send(page.plain.toString().replaceAll(NONCE, nonce));
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
