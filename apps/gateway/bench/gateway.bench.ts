import { parseArgs } from 'node:util';
import { benchEmbedded } from './bench-embedded.ts';
import { benchLatency } from './bench-latency.ts';
import { benchUpstream } from './bench-upstream.ts';
import { cores } from './cores.ts';
import { report } from './report.ts';

// What the gateway costs, and what the embedded chain can do: ratios against a baseline that is measured in the same run, in alternating rounds.
// Many short rounds: a node, a gateway and the load on two cores find one of several ways to share them, which each round draws anew.
// Run it after a build: node bench/gateway.bench.ts [upstream|latency|embedded] [--rounds 15] [--round-ms 1500]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '15' }, 'round-ms': { type: 'string', default: '1500' } },
});
const rounds = { rounds: Number(values.rounds), roundMs: Number(values['round-ms']) };
const wanted = (part: string) => positionals.length === 0 || positionals.includes(part);

report.machine();
if (wanted('upstream')) {
  const halves = cores();
  if (halves !== null) await benchUpstream(rounds, halves.node);
  await benchUpstream(rounds, null);
}
if (wanted('latency')) {
  const halves = cores();
  if (halves !== null) await benchLatency(rounds, halves);
  await benchLatency(rounds, null);
}
if (wanted('embedded')) await benchEmbedded(rounds);
