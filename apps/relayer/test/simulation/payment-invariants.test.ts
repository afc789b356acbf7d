import { bridgeMintAbi } from '@causeway/protocol/abi';
import { describe, expect, it } from '@jest/globals';
import { encodeFunctionData, numberToHex, parseEther, type Hex } from 'viem';
import { BOOK, ROLES, send, START_MS } from '../../simulation/bridge.ts';
import { readArrivals, getRefundId } from '../../simulation/invariants/arrivals.ts';
import { checkBooks } from '../../simulation/invariants/books.ts';
import { checkIntents } from '../../simulation/invariants/intents.ts';
import { checkRefunds } from '../../simulation/invariants/refunds.ts';
import type { SimulatedServer } from '../../simulation/database/simulated-server.ts';
import { payByMistake, payWallet } from '../../simulation/environment/payments.ts';
import { USERS } from '../../simulation/environment/people.ts';
import { Simulation, type Accepted } from '../../simulation/environment/simulation.ts';

// The invariants find a relayer that loses, forgets or overpays money. No relayer runs here: the chains show its
// supposed payments, and the books stay empty.

const amount = parseEther('20000');
const [alice, bob] = USERS;
const id: Hex = numberToHex(1, { size: 32 });
const NO_DATABASE = {} as SimulatedServer;

function setUp() {
  const simulation = new Simulation(1, NO_DATABASE);
  const { ethereum, partner } = simulation.bridge;
  const arrivals = () => [...readArrivals(ethereum, 'ethereum'), ...readArrivals(partner, 'partner')];
  const mine = async () => {
    for (const chain of [ethereum, partner]) await chain.mine(START_MS / 1_000 + 20);
  };
  const pay = (user: number) => payWallet(simulation.bridge, { way: 'plain', user, amount, memo: '0x' });
  const intent: Accepted = {
    id,
    sender: alice.address,
    recipient: alice.address,
    amount,
    outputAmount: amount,
    askedAtMs: START_MS,
    acceptedAtMs: START_MS,
    expiresAtMs: START_MS + 60_000,
  };
  return { simulation, arrivals, mine, pay, intent };
}

describe('the invariants of payments', () => {
  it('find an arrival that is missing in the books', async () => {
    const { simulation, arrivals, mine, pay } = setUp();
    checkBooks(simulation, arrivals());
    pay(0);
    await mine();
    expect(() => checkBooks(simulation, arrivals())).toThrow('every arrival is in the books');
  });

  it('find coin without a message, and dust, that are missing in the books', async () => {
    const { simulation, arrivals, mine } = setUp();
    const mistake = { side: 'ethereum', asset: 'ETH', user: 0, way: 'ended', size: 'usual' } as const;
    payByMistake(simulation.bridge, mistake, 10n ** 13n);
    await mine();
    expect(() => checkBooks(simulation, arrivals())).toThrow('a difference is what nothing explains');
    const { simulation: other, arrivals: dust, mine: mineOther } = setUp();
    payByMistake(other.bridge, mistake, 10n ** 13n - 1n);
    await mineOther();
    expect(() => checkBooks(other, dust())).toThrow('dust is counted');
  });

  it('find a payment in time that was neither delivered nor refunded', async () => {
    const { simulation, arrivals, mine, pay, intent } = setUp();
    simulation.intents.push(intent);
    checkIntents(simulation, arrivals(), new Set());
    pay(0);
    await mine();
    const nothing = new Set<Hex>();
    expect(() => checkIntents(simulation, arrivals(), nothing)).toThrow('each payment is delivered or refunded');
    const refunded = new Set(arrivals().map(getRefundId));
    expect(() => checkIntents(simulation, arrivals(), refunded)).toThrow('every operation is paid');
    const late = { ...intent, expiresAtMs: START_MS + 10_000 };
    simulation.intents.splice(0, 1, late);
    checkIntents(simulation, arrivals(), refunded);
  });

  it("find a stranger's payment that is kept", async () => {
    const { simulation, arrivals, mine, pay, intent } = setUp();
    simulation.intents.push(intent);
    pay(1);
    await mine();
    expect(() => checkIntents(simulation, arrivals(), new Set())).toThrow('what pays no intent is refunded');
    checkIntents(simulation, arrivals(), new Set(arrivals().map(getRefundId)));
  });

  it.each<[string, (simulation: Simulation) => void]>([
    ['Ethereum', ({ bridge }) => void send(bridge.ethereum, ROLES.relayer, { to: bob.address, value: 5n })],
    [
      'the partner chain',
      ({ bridge }) => {
        const attestation = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] };
        const args = [id, bob.address, attestation] as const;
        const data = encodeFunctionData({ abi: bridgeMintAbi, functionName: 'refundNative', args });
        send(bridge.partner, ROLES.relayer, { to: BOOK.partner.bridgeMint, value: 10n ** 18n, data });
      },
    ],
  ])('find a refund on %s that no relayer has recorded', async (_, refund) => {
    const { simulation, mine } = setUp();
    checkRefunds(simulation, []);
    refund(simulation);
    await mine();
    expect(() => checkRefunds(simulation, [])).toThrow('the chains have the refunds of the books');
  });
});
