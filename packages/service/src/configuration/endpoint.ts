/** A server URL, separated from its credentials. */
interface Endpoint {
  /** Host and port, which name the server in logs and metrics. Path and credentials may be secret. */
  readonly host: string;
  /** The URL without credentials, which `fetch` refuses. */
  readonly url: string;
  /** `authorization` for the credentials (Basic, RFC 7617); empty if there are none. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Separates the credentials of a URL such as `https://name:key@host/path`.
 *
 * @throws TypeError when it is not a URL; URIError when its credentials are not percent-encoded.
 */
export function parseEndpoint(address: string): Endpoint {
  const url = new URL(address);
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  const headers = credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  return { host: url.host, url: url.href, headers };
}
