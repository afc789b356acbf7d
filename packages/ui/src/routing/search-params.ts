// A page's filters and cursor are in its URL as plain text, in the form of the API.

/** Parses a query string. Values stay text, so that a hash does not become a number. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Writes a query string without empty values. */
export function stringifySearch(search: Readonly<Record<string, string | number | undefined>>): string {
  const present = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return present.length === 0 ? '' : `?${new URLSearchParams(present).toString()}`;
}

/** Keeps the parameters that a page knows. The API validates their values and names a malformed one. */
export function pickParams<Name extends string>(...names: readonly Name[]) {
  return (search: Readonly<Record<string, unknown>>): { [K in Name]?: string } => {
    const known = names.flatMap((name) => {
      const value = search[name];
      return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
    });
    return Object.fromEntries(known) as { [K in Name]?: string };
  };
}
