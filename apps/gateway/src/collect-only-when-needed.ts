import { setFlagsFromString } from 'node:v8';

/** The longest that a timer waits, in milliseconds: 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Has V8 collect garbage when the heap needs it, and not because there is little to do. To be called before the heap has grown.
 *
 * When few objects were made for some seconds, V8 goes through the whole heap to give memory back to the system, with several threads for about a tenth of
 * a second. A load that returns at that moment shares the cores with them and waits for tens of milliseconds. It looks for such a moment some time after the
 * heap grew for the first time; this puts that off. `node --no-memory-reducer` would do the same, and everybody would have to know it.
 */
export function collectOnlyWhenNeeded(): void {
  setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${LONGEST_MS}`);
}
