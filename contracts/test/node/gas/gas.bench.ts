import { expect, it } from '@jest/globals';
import { GAS_GOALS, listOtherBridges } from './baselines.js';
import { measureGas } from './measure-gas.js';

// `npx pnpm@12.21.0 bench gas`

it('measures the hot paths', async () => {
  const rows = Object.entries(await measureGas());
  expect(rows.length).toBeGreaterThan(40);
  const ratio = (gas: number, baseline: number | undefined) =>
    (baseline === undefined ? '-' : (gas / baseline).toFixed(2)).padStart(9);
  const lines = rows.map(([call, gas]) => {
    const { Across, CCIP } = listOtherBridges(call);
    const goal = GAS_GOALS[call];
    return [
      call.padEnd(64),
      String(gas).padStart(8),
      ratio(gas, Across),
      ratio(gas, CCIP),
      goal === undefined ? '' : `  at most ${goal}`,
    ].join('');
  });
  const head = `${'gas of a transaction, or of one item of ten'.padEnd(64)}     gas / Across   / CCIP  goal`;
  process.stdout.write(`\n${head}\n${lines.join('\n')}\n\n`);
}, 120_000);
