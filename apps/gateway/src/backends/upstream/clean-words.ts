const MAX_LENGTH = 200;

/** A node's words as they may be shown to a caller: one line, no address, path or host of the operator's network, not too long. */
export function cleanWords(words: string): string {
  return words
    .slice(0, 2 * MAX_LENGTH)
    .replaceAll(/[a-z][a-z0-9+.-]*:\/\/[^\s"']*/gi, '…')
    .replaceAll(/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, '…')
    .replaceAll(/\[[0-9a-f:]*:[0-9a-f:.]*\](:\d+)?/gi, '…')
    .replaceAll(/\b[a-z0-9-]+(\.[a-z0-9-]+)*:\d{2,5}\b/gi, '…')
    .replaceAll(/(^|[\s"'(])\/[^\s"')]+/g, '$1…')
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH);
}
