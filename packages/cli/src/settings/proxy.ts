import type { Context } from '../command.js';
import { UsageError } from '../errors.js';

/** The proxies of the environment, as URLs. */
interface Proxies {
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** Hosts without a proxy, separated by commas; `*` is all. */
  readonly direct: string;
}

/** A bridge on this machine needs no proxy, and a proxy elsewhere could not reach it. */
const LOOPBACK = 'localhost,127.0.0.1,[::1]';

/**
 * Reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY, also in lower case; null without a proxy. Without HTTPS_PROXY, HTTP_PROXY
 * serves https too.
 *
 * @throws UsageError
 */
function findProxies({ env }: Context): Proxies | null {
  const read = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  const http = parseProxy('HTTP_PROXY', read('HTTP_PROXY'));
  const https = parseProxy('HTTPS_PROXY', read('HTTPS_PROXY')) ?? http;
  if (https === undefined) return null;
  const own = read('NO_PROXY');
  return { http, https, direct: own === '*' ? own : [own, LOOPBACK].filter(Boolean).join(',') };
}

function parseProxy(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(url) && /^https?:/.test(url)) return url;
  throw new UsageError(name, 'must be an http:// or https:// URL', 'Correct the variable, or unset it.');
}

/** Returns a `fetch` that uses the proxies of the environment; undefined without a proxy. */
export async function openProxies(context: Context): Promise<typeof fetch | undefined> {
  const proxies = findProxies(context);
  if (proxies === null) return undefined;
  const { EnvHttpProxyAgent, fetch: send } = await import('undici');
  const { http, https, direct } = proxies;
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: http ?? '',
    httpsProxy: https ?? '',
    noProxy: direct,
    // Proxies often tunnel https only.
    proxyTunnel: false,
  });
  return (async (url: string, init: object) => send(url, { ...init, dispatcher })) as unknown as typeof fetch;
}

/**
 * Returns the advice to check the proxy of a URL, without its credentials; empty if the URL has none. For advice alone:
 * ports in NO_PROXY are ignored.
 */
export function adviseProxy(context: Context, url: string): string {
  const proxies = findProxies(context);
  const { protocol, hostname } = new URL(url);
  const proxy = protocol === 'https:' ? proxies?.https : proxies?.http;
  const isOf = (entry: string) => entry === '*' || `.${hostname}`.endsWith(`.${entry.replace(/^\*?\./, '')}`);
  if (proxy === undefined || proxies?.direct.split(/[,\s]+/).some(isOf) === true) return '';
  return ` Check the proxy ${new URL(proxy).host} too, or name the host in NO_PROXY.`;
}

/** Describes the proxies without their credentials; null without a proxy. */
export function describeProxies(context: Context): string | null {
  const proxies = findProxies(context);
  if (proxies === null) return null;
  const { http, https, direct } = proxies;
  const describe = (url: string | undefined) => (url === undefined ? 'directly' : `through ${new URL(url).host}`);
  return `https goes ${describe(https)}, http ${describe(http)}; without a proxy: ${direct}`;
}
