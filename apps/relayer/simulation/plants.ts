import type { World } from './world/world.ts';

/** Bugs that can be planted, each with how: it changes what the relayer relies on. */
const BUGS: Readonly<Record<string, (world: World) => void>> = {
  'no fencing check': ({ database }) => {
    database.assertFence = () => undefined;
  },
  'reorg ignored': ({ database }) => {
    database.events.deleteAfter = () => undefined;
  },
  'quorum asked of one node twice': ({ nodes }) => {
    for (const side of ['ethereum', 'partner'] as const) {
      const [first] = nodes[side];
      (nodes[side] as unknown[]).fill(first);
    }
  },
};

/** Their names. */
export const PLANTS = Object.keys(BUGS);

/**
 * Plants a bug.
 *
 * @throws RangeError when there is none of this name.
 */
export function plantBug(name: string, world: World): void {
  const plant = BUGS[name];
  if (plant === undefined) throw new RangeError(`There is no bug "${name}"`);
  plant(world);
}
