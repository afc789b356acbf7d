/** The reviver of ECMAScript 2026: it is also told how the value was written. */
type SourceReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * Reads a message once more, with every number named `id` replaced by the text it was written as. JavaScript's numbers end at 2^53, the ids
 * of callers do not. It costs several times a plain parse, so it is for messages that need it only.
 *
 * @param text valid JSON.
 * @returns the message, or null if it is nested too deeply to be walked.
 */
export function exactIds(text: string): unknown {
  const asWritten: SourceReviver = (key, value, { source }) =>
    key === 'id' && typeof value === 'number' ? source : value;
  try {
    return JSON.parse(text, asWritten as (key: string, value: unknown) => unknown);
  } catch (error) {
    // The walk is recursive in V8, the parser is not.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
