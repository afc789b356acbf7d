import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootWorld, DEFAULT_WORLD_OPTIONS, type World, type WorldOptions } from '../dist/index.js';

/** Ports of test worlds begin somewhere here; a thousand places, so that two worlds that start in the same moment do not meet. */
const PORTS = { first: 20_000, places: 1_000, perWorld: 10 } as const;

/** A world of a test file: short waits, free ports, a folder that goes with it. */
export async function temporaryWorld(options: Partial<WorldOptions> = {}): Promise<World> {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-test-'));
  chmodSync(directory, 0o755);
  const world = await bootWorld(
    {
      ...DEFAULT_WORLD_OPTIONS,
      directory,
      holdSeconds: 2,
      ethereumConfirmations: 4,
      partnerConfirmations: 3,
      // So that the relayer sends nothing that a test did not cause.
      retireAfterSeconds: 86_400,
      portBase: PORTS.first + PORTS.perWorld * randomInt(PORTS.places),
      ...options,
    },
    () => undefined,
  );
  return {
    ...world,
    stop: async () => {
      await world.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
