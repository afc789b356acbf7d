import { expect, it } from '@jest/globals';
import { GAS_GOALS, measureGas } from './measure-gas.js';

// `npx pnpm@12.21.0 --filter @causeway/contracts run bench`

it('measures the hot paths', async () => {
  const rows = Object.entries(await measureGas());
  expect(rows.length).toBeGreaterThan(10);
  const lines = rows.map(([call, gas]) => {
    const goal = GAS_GOALS[call];
    return `${call.padEnd(44)}${gas}${goal === undefined ? '' : `  (goal: under ${goal})`}`;
  });
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
}, 60_000);
