const MIRROR_PATHS = '/api/v1/';

/**
 * Whether a request is one to the mirror endpoints.
 *
 * @param url as the request has it, which may be malformed.
 */
export function isMirrorPath(url: string): boolean {
  return (URL.parse(url, 'http://gateway')?.pathname ?? url).startsWith(MIRROR_PATHS);
}
