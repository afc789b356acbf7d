import { setFlagsFromString } from 'node:v8';

/** The longest that a timer waits, in milliseconds: 24 days. */
const LONGEST_MS = 2 ** 31 - 1;
/** How much larger than after a collection the heap may become: four times, as V8 has it for a heap that grows fast. It begins halfway to that. */
const GROWTH_PERCENT = 300;

/**
 * Has V8 go through the whole heap when memory is needed, and otherwise leave it alone. To be called before the heap has grown.
 *
 * To do it takes some thirty milliseconds of the main thread, and more of others that share its cores; requests that come then wait for tens of milliseconds.
 * Nearly all that requests leave behind is gone before that and costs next to nothing, but V8 does it
 *
 * - after each 8 MiB that did outlive a few collections of what is new, where these come slowly: several times a minute, with 50 MiB in use;
 * - when few objects were made for some seconds, to give memory back to the system. It looks for such a moment some time after the heap grew for the first
 *   time; this puts that off.
 *
 * `node --heap-growing-percent=300 --no-memory-reducer` would do the same, and everybody would have to know it.
 */
export function collectOnlyWhenNeeded(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${LONGEST_MS}`);
}
