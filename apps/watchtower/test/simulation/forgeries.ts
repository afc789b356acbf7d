import { computeIntentId, computeOperationId, type Side } from '@causeway/verifier';
import { keccak256, type Address, type Hex } from 'viem';
import { GENERATED_SETTINGS } from '../../../../packages/verifier/test/generated-chain.js';
import { PAYER, type Event, type SimulatedBridge } from './simulated-bridge.js';
import { makeKey } from './transactions.js';

const THIEF = makeKey(11);
const HASH = keccak256('0x7ee');
const FAR = 2n ** 40n;

/** A delivery that is not owed. Null while the bridge has nothing from which it can be forged. */
type Forge = (bridge: SimulatedBridge) => Event | null;

const find = ({ events }: SimulatedBridge, name: string, accepts: (event: Event) => boolean = () => true) =>
  events.findLast((event) => event.name === name && accepts(event)) ?? null;
const change = (event: Event | null, args: Event['args']): Event | null =>
  event === null ? null : { ...event, args: { ...event.args, ...args } };
const isIntent = (bridge: SimulatedBridge) => (event: Event) => bridge.intents.has(event.args['withdrawId'] as Hex);

/** The delivery of the newest operation that is not delivered, which can come before it is final. */
function deliverPending(bridge: SimulatedBridge, beginning: 'Deposit' | 'Withdraw'): Event | null {
  const [side, name, id] = beginning === 'Deposit' ? SIDES.mint : SIDES.release;
  const paid = new Set(bridge.events.filter((event) => event.name === name).map(({ args }) => args[id]));
  const open = find(bridge, beginning, ({ args }) => !paid.has(args[id]));
  if (open === null) return null;
  const origin = side === 'partner' ? 'ethereum' : 'partner';
  const {
    amount,
    fee = 0n,
    recipient = open.args['destination'],
  } = open.args as { amount: bigint; fee?: bigint; recipient?: Address };
  const asset = GENERATED_SETTINGS.assets.find(({ tokens }) => tokens[origin] === lower(open.args['token']));
  const terms = { token: asset?.tokens[side], recipient, amount: amount - fee, fee };
  return { side, name, args: { [id]: open.args[id], ...terms } };
}

const lower = (address: unknown) => String(address).toLowerCase();
const SIDES = {
  mint: ['partner', 'Mint', 'depositId'],
  release: ['ethereum', 'Release', 'withdrawId'],
} as const satisfies Record<string, readonly [Side, string, string]>;

/** Releases an intent, by default of the thief, which names a transfer as its payment. */
function releaseIntent(bridge: SimulatedBridge, transferId: Hex, amount: bigint, key = THIEF, deadline = FAR): Event {
  const terms = { sender: key.address, recipient: THIEF.address, amount, deadline, nonceHash: HASH };
  const id = computeIntentId(GENERATED_SETTINGS.partner, terms);
  bridge.intents.set(id, { ...terms, transferId, isSigned: true, signature: key.sign(id) });
  return toRelease(bridge, id, terms);
}

/** The newest sweep whose intent is not released. */
function findSweep(bridge: SimulatedBridge) {
  const released = new Set([...bridge.intents.values()].map(({ transferId }) => transferId));
  const swept = find(bridge, 'Swept', ({ args }) => !released.has(args['transferId'] as Hex));
  return swept && { transferId: swept.args['transferId'] as Hex, amount: swept.args['amount'] as bigint };
}

function toRelease(bridge: SimulatedBridge, withdrawId: Hex, terms: { recipient: Address; amount: bigint }): Event {
  const fee = bridge.computeIntentFee(terms.amount);
  const token = GENERATED_SETTINGS.assets.find(({ symbol }) => symbol === 'XCN')?.tokens.ethereum;
  const args = { withdrawId, token, recipient: terms.recipient, amount: terms.amount - fee, fee };
  return { side: 'ethereum', name: 'Release', args };
}

const findIntent = (bridge: SimulatedBridge) => {
  const release = find(bridge, 'Release', isIntent(bridge));
  return bridge.intents.get((release?.args['withdrawId'] ?? '0x') as Hex) ?? null;
};

/** By what is wrong with it. */
export const FORGERIES: Readonly<Record<string, Forge>> = {
  'a mint without a deposit': (bridge) =>
    change(find(bridge, 'Mint'), { depositId: computeOperationId(GENERATED_SETTINGS.ethereum, FAR) }),
  'a release without a withdrawal': (bridge) =>
    change(find(bridge, 'Release'), { withdrawId: computeOperationId(GENERATED_SETTINGS.partner, FAR) }),
  'a mint of another amount': (bridge) => {
    const due = deliverPending(bridge, 'Deposit');
    return change(due, { amount: ((due?.args['amount'] ?? 0n) as bigint) + 1n });
  },
  'a mint to another recipient': (bridge) => change(deliverPending(bridge, 'Deposit'), { recipient: THIEF.address }),
  'a release with another fee': (bridge) => {
    const due = deliverPending(bridge, 'Withdraw');
    return change(due, { fee: ((due?.args['fee'] ?? 0n) as bigint) + 1n });
  },
  'a release to another recipient': (bridge) =>
    change(deliverPending(bridge, 'Withdraw'), { recipient: THIEF.address }),
  'a deposit minted twice': (bridge) => find(bridge, 'Mint'),
  'a withdrawal released twice': (bridge) => find(bridge, 'Release', (event) => !isIntent(bridge)(event)),
  'an intent released twice': (bridge) => find(bridge, 'Release', isIntent(bridge)),
  'an intent without a transfer': (bridge) => releaseIntent(bridge, HASH, 10n ** 21n),
  'an intent with the transfer of a released one': (bridge) => {
    const paid = findIntent(bridge);
    return paid && releaseIntent(bridge, paid.transferId, paid.amount);
  },
  'an intent that another account paid': (bridge) => {
    const swept = findSweep(bridge);
    return swept && releaseIntent(bridge, swept.transferId, swept.amount);
  },
  'an intent that was paid too late': (bridge) => {
    const swept = findSweep(bridge);
    return swept && releaseIntent(bridge, swept.transferId, swept.amount, PAYER, 1n);
  },
  'an intent that its sender did not sign': (bridge) => {
    const former = findIntent(bridge);
    if (former === null) return null;
    const terms = { ...former, recipient: THIEF.address, transferId: HASH };
    const id = computeIntentId(GENERATED_SETTINGS.partner, terms);
    bridge.intents.set(id, terms);
    return toRelease(bridge, id, terms);
  },
  'a refund of no transfer': (bridge) => {
    const token = GENERATED_SETTINGS.assets.find(({ symbol }) => symbol === 'USDC')?.tokens.partner;
    return change(find(bridge, 'Refunded'), { refundId: HASH, token });
  },
  'a transfer refunded twice': (bridge) => find(bridge, 'Refunded'),
};
