// Filters, cursors and the fields of a prefilled form are in the URL as plain text.

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

/** Keeps the parameters that a page knows. */
export function pickParams<Name extends string>(...names: readonly Name[]) {
  return (search: Readonly<Record<string, unknown>>): { [K in Name]?: string } => {
    const known = names.flatMap((name) => {
      const value = search[name];
      return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
    });
    return Object.fromEntries(known) as { [K in Name]?: string };
  };
}
