import type { Side } from '@causeway/protocol';
import { z } from 'zod';
import type { Configuration } from '../../configuration.js';
import type { ContractAnswers } from './check-contracts.js';
import { error, ok, warning, type Fact } from '@causeway/service/doctor';
import type { Finding } from './finding.js';
import { fact } from './node-facts.js';

/** How many processes of each attester the running relayer has seen recently, by address. */
export type Connections = ReadonlyMap<string, number>;

const SIDES = ['ethereum', 'partner'] as const;
const TIMEOUT_MS = 5_000;
const LINE = /^causeway_relayer_attester_instances\{attester="(0x[0-9a-f]{40})"\} (\d+)$/gm;
const INSTANCES = z.coerce.number();

/** Reads from the running relayer's metrics which attesters have recently polled its exchange. */
export async function readConnections({ metrics }: Pick<Configuration, 'metrics'>): Promise<Fact<Connections>> {
  return fact(async () => {
    if (metrics === null) throw new Error('METRICS_PORT is not set');
    const { host, port } = metrics;
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/metrics`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await answer.text();
    return new Map([...text.matchAll(LINE)].map(([, attester = '', count]) => [attester, INSTANCES.parse(count)]));
  });
}

/** Judges which members of the attester sets are connected, where a contract requires attestations. */
export function checkAttesters(answers: ContractAnswers, connections: Fact<Connections>): readonly Finding[] {
  const asking = SIDES.flatMap((side) => {
    const contract = answers[side].flatMap((each) => (each.contract.ok ? [each.contract.value] : []))[0];
    return contract === undefined || contract.attesters.threshold === 0 ? [] : [{ side, ...contract.attesters }];
  });
  if (asking.length === 0) return [];
  if (!connections.ok) {
    const finding = `cannot determine which attesters are connected: ${connections.reason}`;
    return [warning('attesters', finding, 'start the relayer, and run doctor with its METRICS_PORT')];
  }
  const counts = connections.value;
  const doubled = [...counts].flatMap(([attester, count]) =>
    count > 1 ? [error('attesters', `${count} processes use the key of ${attester}`, 'stop all but one of them')] : [],
  );
  return [...asking.map((set) => checkSet(set, counts)), ...doubled];
}

function checkSet(
  {
    side,
    members,
    threshold,
  }: { readonly side: Side; readonly members: readonly string[]; readonly threshold: number },
  counts: Connections,
): Finding {
  const away = members.filter((member) => (counts.get(member) ?? 0) === 0);
  const connected = members.length - away.length;
  const finding = `${side}: ${connected} of ${members.length} attesters are connected, ${threshold} must sign`;
  if (away.length === 0) return ok('attesters', finding);
  const nextStep = `run attester doctor on the machine of ${away.join(', ')}`;
  return (connected < threshold ? error : warning)('attesters', finding, nextStep);
}
