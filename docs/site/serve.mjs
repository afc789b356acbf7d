import { spawn } from 'node:child_process';
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';

/** Others are served as text. */
const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/**
 * Serves a built site to this machine, on a free port.
 *
 * @param base path that the site is served under.
 * @returns the server, and the address of the front page.
 */
export async function serveSite(folder, base) {
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    const path = decodeURIComponent(pathname);
    if (path === '/' || path === base) return void response.writeHead(302, { location: `${base}/` }).end();
    const file = join(folder, path.slice(base.length), path.endsWith('/') ? 'index.html' : '');
    const isThere = path.startsWith(`${base}/`) && statSync(file, { throwIfNoEntry: false })?.isFile();
    const shown = isThere ? file : join(folder, '404.html');
    response.writeHead(isThere ? 200 : 404, { 'content-type': TYPES[extname(shown)] ?? 'text/plain; charset=utf-8' });
    createReadStream(shown).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}${base}/` };
}

/** Opens an address in the person's browser. Does nothing on a machine without one. */
export function openBrowser(url) {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
