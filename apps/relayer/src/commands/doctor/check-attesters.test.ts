import { describe, expect, it } from '@jest/globals';
import { anAddress } from '@causeway/test-kit';
import { checkAttesters, type Connections } from './check-attesters.js';
import type { ContractAnswers } from './check-contracts.js';
import type { Fact } from '@causeway/service/doctor';

const [A, B, C] = [anAddress('a'), anAddress('b'), anAddress('c')];
const known = (...counts: readonly (readonly [string, number])[]): Fact<Connections> => ({
  ok: true,
  value: new Map(counts),
});

function judge(connections: Fact<Connections>, threshold = 2): readonly string[] {
  const answer = { name: 'node', contract: { ok: true, value: { attesters: { members: [A, B, C], threshold } } } };
  const answers = { ethereum: [answer], partner: [] } as unknown as ContractAnswers;
  return checkAttesters(answers, connections).map(
    ({ severity, finding, nextStep }) => `${severity}: ${finding} -> ${nextStep}`,
  );
}

describe('checkAttesters', () => {
  it('names unconnected members, as an error when fewer than the threshold are left', () => {
    expect(judge(known([A, 1], [B, 1], [C, 1]))).toEqual([
      'ok: ethereum: 3 of 3 attesters are connected, 2 must sign -> null',
    ]);
    expect(judge(known([A, 1], [C, 1], [B, 0]))).toEqual([
      `warning: ethereum: 2 of 3 attesters are connected, 2 must sign -> run attester doctor on the machine of ${B}`,
    ]);
    expect(judge(known([A, 1]))).toEqual([
      `error: ethereum: 1 of 3 attesters are connected, 2 must sign -> run attester doctor on the machine of ${B}, ${C}`,
    ]);
  });

  it('names a key that two processes use', () => {
    expect(judge(known([A, 2], [B, 1], [C, 1]))).toContain(
      `error: 2 processes use the key of ${A} -> stop all but one of them`,
    );
  });

  it("warns while the relayer's metrics are missing, and reports nothing while the threshold is 0", () => {
    const away = { ok: false, reason: 'METRICS_PORT is not set' } as const;
    expect(judge(away)).toEqual([
      'warning: cannot determine which attesters are connected: METRICS_PORT is not set -> ' +
        'start the relayer, and run doctor with its METRICS_PORT',
    ]);
    expect(judge(away, 0)).toEqual([]);
  });
});
