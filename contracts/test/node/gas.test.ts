import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { GAS_GOALS, measureGas } from './measure-gas.js';

const SNAPSHOT = new URL('../../gas-snapshot.json', import.meta.url);

it('costs what the snapshot says, and no call more than its goal', async () => {
  const measured = await measureGas();
  // `gas:update` writes the snapshot; its difference is reviewed like any other.
  if (process.env['UPDATE_GAS'] === '1') writeFileSync(SNAPSHOT, `${JSON.stringify(measured, null, 2)}\n`);
  expect(measured).toEqual(JSON.parse(readFileSync(SNAPSHOT, 'utf8')));
  for (const [call, goal] of Object.entries(GAS_GOALS)) expect([call, measured[call]! < goal]).toEqual([call, true]);
});
