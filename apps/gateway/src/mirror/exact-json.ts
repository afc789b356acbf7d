/** JSON.rawJSON of ECMAScript 2026, which the compiler does not know yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/** JSON in which a bigint is a number written out to its last digit; a mirror node's amounts are such (int64). */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_key, field: unknown) =>
    typeof field === 'bigint' ? rawJSON(field.toString()) : field,
  );
}
