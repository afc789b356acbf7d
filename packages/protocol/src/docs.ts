/**
 * The link to a place of the documentation.
 *
 * @param docsPath a page below docs/ and the id of a heading, such as `errors.md#below_minimum`.
 * @param docsUrl address of a site that was made from docs/, where each heading of errors.md is a page; or a folder.
 *   The folder of the repository unless given.
 * @example
 * ```ts
 * linkToDocs('errors.md#paused'); // 'docs/errors.md#paused'
 * linkToDocs('errors.md#paused', 'https://docs.example'); // 'https://docs.example/errors/paused/'
 * linkToDocs('runbook.md#halted', 'https://docs.example'); // 'https://docs.example/runbook/#halted'
 * ```
 */
export function linkToDocs(docsPath: string, docsUrl = 'docs'): string {
  const base = docsUrl.replace(/\/+$/, '');
  if (!/^https?:/.test(base)) return `${base}/${docsPath}`;
  const [page = '', heading] = docsPath.split('#');
  const folder = `${base}/${page.replace(/\.md$/, '')}/`;
  if (heading === undefined) return folder;
  return page === 'errors.md' ? `${folder}${heading}/` : `${folder}#${heading}`;
}

/** The place of an error code, a reason of a delay or failure, or the name of an error. */
export function getErrorDocsPath(name: string): string {
  return `errors.md#${name.toLowerCase()}`;
}

/**
 * The link to the page about an error that a command prints. Errors with such a page have a `docsPath`.
 *
 * @returns null for other errors.
 */
export function linkToError(error: unknown, docsUrl?: string): string | null {
  const { docsPath } = Object(error) as { readonly docsPath?: unknown };
  return typeof docsPath === 'string' ? linkToDocs(docsPath, docsUrl) : null;
}
