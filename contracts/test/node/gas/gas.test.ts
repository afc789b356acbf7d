import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { ATTESTER_GOALS, GAS_GOALS } from './baselines.js';
import { measureGas } from './measure-gas.js';

const SNAPSHOT = new URL('../../../gas-snapshot.json', import.meta.url);

it('matches the snapshot, and keeps each call within its goal', async () => {
  const measured = await measureGas();
  // `gas:update` writes the snapshot; its difference is reviewed like any other.
  if (process.env['UPDATE_GAS'] === '1') writeFileSync(SNAPSHOT, `${JSON.stringify(measured, null, 2)}\n`);
  expect(measured).toEqual(JSON.parse(readFileSync(SNAPSHOT, 'utf8')));
  const above = Object.entries(GAS_GOALS).filter(([call, goal]) => !((measured[call] ?? Infinity) <= goal));
  expect(above).toEqual([]);
  for (const [note, most] of Object.entries(ATTESTER_GOALS)) {
    for (const call of ['release, one of ten', 'mint, one of ten']) {
      const more = (measured[`${call}, ${note}`] ?? Infinity) - (measured[call] ?? 0);
      expect([call, note, more <= most]).toEqual([call, note, true]);
    }
  }
});
