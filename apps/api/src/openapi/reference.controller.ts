import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BridgeError } from '@causeway/protocol';
import { Controller, Get, Param, Redirect, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** Its URLs are relative, so that the page also works under another path of a proxy. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Causeway bridge: REST API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="reference/swagger-ui.css" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="reference/swagger-ui-bundle.js"></script>
    <script src="reference/show.js"></script>
  </body>
</html>
`;

/** `validatorUrl: null` keeps Swagger UI from sending the document to its maker's validator. */
const SHOW = `SwaggerUIBundle({ dom_id: '#reference', url: 'openapi.json', deepLinking: true, validatorUrl: null });\n`;

/** The page runs only this API's scripts and calls only this API. Swagger UI needs inline styles. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const CACHE_CONTROL = 'public, max-age=3600';

/** Without WEB_FOLDER, redirects the root URL to the reference. Not in the OpenAPI document. */
@Controller()
export class RootController {
  /** `GET /`. The redirect is relative, like the page's URLs. */
  @Get()
  @Redirect('api/v1/reference', 302)
  root(): void {}
}

@Controller('api/v1/reference')
export class ReferenceController {
  private readonly files: ReadonlyMap<string, { readonly type: string; readonly content: string }>;

  constructor() {
    const require = createRequire(import.meta.url);
    const script = 'text/javascript; charset=utf-8';
    const styles = readFileSync(require.resolve('swagger-ui-dist/swagger-ui.css'), 'utf8');
    const bundle = readFileSync(require.resolve('swagger-ui-dist/swagger-ui-bundle.js'), 'utf8');
    this.files = new Map([
      ['swagger-ui.css', { type: 'text/css; charset=utf-8', content: styles }],
      ['swagger-ui-bundle.js', { type: script, content: bundle }],
      ['show.js', { type: script, content: SHOW }],
    ]);
  }

  /** `GET /api/v1/reference`: the OpenAPI document as a page, without external resources. */
  @Get()
  page(@Res() reply: FastifyReply): void {
    void reply
      .headers({ 'content-security-policy': CONTENT_SECURITY_POLICY, 'cache-control': CACHE_CONTROL })
      .type('text/html; charset=utf-8')
      .send(PAGE);
  }

  /** Serves the files of the page. */
  @Get(':file')
  file(@Param('file') name: string, @Res() reply: FastifyReply): void {
    const file = this.files.get(name);
    if (file === undefined) throw new BridgeError('NOT_FOUND', 'The reference has no such file');
    void reply.header('cache-control', CACHE_CONTROL).type(file.type).send(file.content);
  }
}
