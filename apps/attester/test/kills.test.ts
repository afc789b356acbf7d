import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { isLong, seed } from '@causeway/test-kit';
import { keccak256, stringToHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { makeDisputes, Reorganiser, type Dispute } from './campaign/disputes.js';
import { Random } from './campaign/random.js';
import { areCopies, SignatureLog, type SignedPayment } from './campaign/signature-log.js';
import { RESTARTS, VALIDITY_SECONDS, Victim } from './campaign/victim.js';
import { makeEnvironment, startBridge, type TestBridge } from './setup/bridge.js';

// Attesters are killed, restored and copied, on chains with reorgs, against a relayer that keeps every signature and
// asks for conflicting payments. e2e/chaos, which kills the whole bridge, does not check signatures.

const KEYS = [1, 2, 3].map((number) => keccak256(stringToHex(`attester ${number}`)));
const KILLS = isLong ? 300 : 20;
const REORGANISATION_MS = 1_500;
const BLOCK_MS = 500;
const LONGEST_MS = isLong ? 3_000_000 : 300_000;
const given = seed();

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startBridge(KEYS.map((key) => privateKeyToAccount(key).address));
});
afterAll(async () => bridge?.stop());

it(
  `never has two valid conflicting signatures over ${KILLS} kills (seed ${given})`,
  async () => {
    const log = new SignatureLog(bridge.book, async (side) => (await bridge.clients[side].getBlock()).timestamp);
    const disputes: Dispute[] = await makeDisputes(bridge);
    const end = new AbortController();
    const repeat = async (ms: number, work: () => Promise<void>) => {
      while (!end.signal.aborted) {
        await work();
        await sleep(ms);
      }
    };
    const add = (dispute: Dispute) => void disputes.push(dispute);
    const chains = (['ethereum', 'partner'] as const).flatMap((side) => {
      const reorganiser = new Reorganiser(side, bridge, new Random(`${given} ${side}`), add);
      return [
        repeat(BLOCK_MS, async () => bridge.mine(side)),
        repeat(REORGANISATION_MS, async () => reorganiser.turn()),
      ];
    });
    let kills = 0;
    const victims = KEYS.map(async (privateKey, index) => {
      const random = new Random(`${given} ${index}`);
      const env = makeEnvironment(bridge, privateKey, VALIDITY_SECONDS);
      const victim = new Victim(`attester-${index}`, env, { bridge, log, disputes }, random);
      // A slow machine signs less often.
      for (; kills < KILLS || 2 * log.payments.length < KILLS; kills += 1) await victim.live(random.pick(RESTARTS));
    });
    await Promise.all(victims).finally(() => end.abort());
    await Promise.all(chains);
    const contradictions = log.findContradictions();
    const excused = contradictions.filter(([one, other]) => areCopies(one.life, other.life) && isExcused(one, other));
    process.stdout.write(
      `seed ${given}: ${kills} kills, ${log.payments.length} payments signed; ${excused.length} pairs by concurrent copies\n`,
    );
    expect(contradictions.filter((pair) => !excused.includes(pair)).map(describePair)).toEqual([]);
  },
  LONGEST_MS,
);

/**
 * Two copies of a key do not know of each other. Numbered operations, and refunds to one recipient, differ only on two
 * branches of a chain. Coin sent to the relayer wallet can pay an intent, with the fee of its acceptance.
 */
function isExcused(one: SignedPayment, other: SignedPayment): boolean {
  return one.branch !== other.branch || [one, other].some(({ item }) => item.kind === 'INTENT');
}

function describePair(pair: readonly SignedPayment[]) {
  return pair.map(({ life, item, validUntil, heads, branch }) => ({ ...life, item, validUntil, heads, branch }));
}
