import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 collect garbage when the heap needs it, and not because there is little to do.
 *
 * When few objects were made for some seconds, V8 goes through the whole heap to give memory back to the system, with four threads for about a tenth of a
 * second. A load that returns at that moment shares the cores with them and waits for tens of milliseconds. A gateway's memory is its own: what grows is
 * collected as ever, before it is too much.
 */
export function collectOnlyWhenNeeded(): void {
  setFlagsFromString('--memory-reducer-gc-count=0');
}
