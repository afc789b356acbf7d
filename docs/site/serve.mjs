import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { NOT_FOUND_PAGE, readSite, SITE_POLICY } from '../../apps/api/dist/docs-site.js';

/**
 * Serves a built site to this machine on a free port, as the API does for others.
 *
 * @param base path that the site is served under.
 * @returns the server, and the address of the front page.
 */
export async function serveSite(folder, base) {
  const site = readSite(folder);
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    if (!pathname.startsWith(`${base}/`)) return void response.writeHead(302, { location: `${base}/` }).end();
    const path = pathname.slice(base.length);
    if (site.has(`${path}/`)) return void response.writeHead(302, { location: `${pathname}/` }).end();
    const found = site.get(path);
    const { plain, type } = found ?? site.get(NOT_FOUND_PAGE);
    response.writeHead(found === undefined ? 404 : 200, {
      'content-type': type,
      'content-security-policy': SITE_POLICY,
    });
    response.end(plain);
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
