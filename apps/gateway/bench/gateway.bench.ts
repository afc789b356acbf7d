import { parseArgs } from 'node:util';
import { benchEmbedded } from './bench-embedded.ts';
import { benchUpstream } from './bench-upstream.ts';
import { coresOfNode } from './cores-of-node.ts';
import { report } from './report.ts';

// What the gateway costs, and what the embedded chain can do: ratios against a baseline that is measured in the same run, in alternating rounds.
// Run it after a build: node bench/gateway.bench.ts [upstream|embedded] [--rounds 5] [--round-ms 3000]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, 'round-ms': { type: 'string', default: '3000' } },
});
const rounds = { rounds: Number(values.rounds), roundMs: Number(values['round-ms']) };
const wanted = (part: string) => positionals.length === 0 || positionals.includes(part);

report.machine();
if (wanted('upstream')) {
  const cores = coresOfNode();
  if (cores !== null) await benchUpstream(rounds, cores);
  await benchUpstream(rounds, null);
}
if (wanted('embedded')) await benchEmbedded(rounds);
