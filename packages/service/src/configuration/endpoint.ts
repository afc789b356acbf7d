/** The address of a server, without the credentials that it was written with. */
interface Endpoint {
  /** Host and port: the name of the server in logs and metrics. The path and the credentials may be secret. */
  readonly host: string;
  /** The address without credentials, which `fetch` refuses. */
  readonly url: string;
  /** `authorization` for the credentials (Basic, RFC 7617); empty without any. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Separates an address such as `https://name:key@host/path` from its credentials.
 *
 * @throws TypeError when it is not an address; URIError when its credentials are not percent-encoded.
 */
export function parseEndpoint(address: string): Endpoint {
  const url = new URL(address);
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  const headers = credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  return { host: url.host, url: url.href, headers };
}
