import { zeroAddress, type Address, type Hex } from 'viem';
import type { DecodedEvent } from '../src/blocks/events.js';
import type { ExplainedIntent, FindingCode, Side } from '../src/index.js';
import { toEvent, toKind, type AlteredChain, type Entry, type Kind } from './altered-chain.js';
import { GENERATED_SETTINGS } from './generated-chain.js';
import type { EventArguments } from './generated/event-encoder.js';

/** A change of an honest chain, and what a ledger must call it. */
export interface Alteration {
  readonly name: string;
  readonly code: FindingCode;
  readonly alter: (chain: AlteredChain) => void;
}

const { ethereum: LOCK, partner: MINT } = GENERATED_SETTINGS;
const TOKENS = GENERATED_SETTINGS.assets.map(({ tokens }) => tokens);
const XCN = GENERATED_SETTINGS.assets.find(({ symbol }) => symbol === 'XCN')?.tokens.ethereum;
const STRANGER: Address = `0xbad${'0'.repeat(37)}`;
const NO_HASH: Hex = `0xbad${'0'.repeat(61)}`;
const OTHER = { ethereum: 'partner', partner: 'ethereum' } as const;

const INTENT = toKind('Release', ({ withdrawId }, chain) => chain.findIntent(withdrawId as Hex) !== null);
const RELEASE = toKind('Release', ({ withdrawId }, chain) => chain.findIntent(withdrawId as Hex) === null);
const XCN_RELEASE: Kind = { ...RELEASE, is: (event, chain) => RELEASE.is(event, chain) && event.args['token'] === XCN };
const MINTED = toKind('Mint');
const SWEPT = toKind('Swept', ({ amount }) => amount !== 0n);
const COIN_REFUND = toKind('Refunded', ({ token }) => token === zeroAddress);
const TOKEN_REFUND = toKind('Refunded', ({ token }) => token !== zeroAddress);

/** Alterations of one event's fields. */
function edits(
  kind: Kind,
  what: string,
  fields: Readonly<Record<string, readonly [(args: DecodedEvent['args']) => EventArguments, FindingCode]>>,
): Alteration[] {
  return Object.entries(fields).map(([name, [change, code]]) => ({
    name: `${what} with ${name}`,
    code,
    alter: (chain) => {
      const place = chain.pick(kind);
      chain.edit(place, change(chain.argsAt(place)));
    },
  }));
}

function more(field: string, by: bigint) {
  return (args: DecodedEvent['args']) => ({ [field]: (args[field] as bigint) + by });
}

function otherToken(side: Side) {
  return ({ token }: DecodedEvent['args']) => ({ token: TOKENS.find((one) => one[side] !== token)?.[side] });
}

function beginnings(side: Side, name: 'Deposit' | 'Withdraw', id: string, recipient: string): Alteration[] {
  const [kind, what] = [toKind(name), `a ${name}`];
  return [
    ...edits(kind, what, {
      'a number more': [more('nonce', 1n), 'NUMBER_GAP'],
      'a number less': [more('nonce', -1n), 'NUMBER_REPEATED'],
      'a huge number': [() => ({ nonce: 2n ** 200n }), 'NUMBER_GAP'],
      'another id': [() => ({ [id]: NO_HASH }), 'WRONG_ID'],
      'another token': [otherToken(side), 'OTHER_TERMS'],
      'an unknown token': [() => ({ token: STRANGER }), 'UNKNOWN_TOKEN'],
      'another recipient': [() => ({ [recipient]: STRANGER }), 'OTHER_TERMS'],
      'a unit more': [more('amount', 1n), 'OTHER_TERMS'],
      'a unit less': [more('amount', -1n), 'OTHER_TERMS'],
    }),
    { name: `${what} left out`, code: 'NUMBER_GAP', alter: (chain) => chain.remove(chain.pick(kind)) },
    {
      name: `${what} repeated`,
      code: 'NUMBER_REPEATED',
      alter: (chain) => {
        const place = chain.pick(kind);
        chain.repeat(chain.entries[place] as Entry, place);
      },
    },
  ];
}

function payments(side: Side, kind: Kind, id: string, what: string): Alteration[] {
  const { contract } = GENERATED_SETTINGS[side];
  return [
    ...edits(kind, what, {
      'another id': [() => ({ [id]: NO_HASH }), 'NO_ORIGIN'],
      'another token': [otherToken(side), 'OTHER_TERMS'],
      'an unknown token': [() => ({ token: STRANGER }), 'UNKNOWN_TOKEN'],
      'another recipient': [() => ({ recipient: STRANGER }), 'OTHER_TERMS'],
      'a unit more': [more('amount', 1n), 'OTHER_TERMS'],
      'a unit less': [more('amount', -1n), 'OTHER_TERMS'],
    }),
    ...repeats(kind, what),
    {
      name: `${what} that was reopened and is paid again`,
      code: 'PAID_TWICE',
      alter: (chain) => {
        const place = chain.pick(kind);
        const entry = chain.entries[place] as Entry;
        const number = findNumber(chain, OTHER[side], chain.argsAt(place)[id] as Hex);
        const reopened = { word: number / 256n, mask: 1n << (number % 256n), count: 0n };
        chain.add(side, [[contract, 'Reopened', reopened]], place + 1);
        chain.repeat(entry, place + 1);
      },
    },
    {
      name: `${what} for a number that never begins`,
      code: 'NO_ORIGIN',
      alter: (chain) => {
        const place = chain.pick(kind);
        const [name, args] = [kind.name, { ...chain.argsAt(place), [id]: NO_HASH, recipient: STRANGER }];
        chain.add(side, [[contract, name, args]], place);
      },
    },
    {
      name: `${what} with the recipient of another one`,
      code: 'OTHER_TERMS',
      alter: (chain) => {
        const [first, second] = [chain.pick(kind), chain.entries.findLastIndex((one) => kind.is(toEvent(one), chain))];
        chain.edit(first, { recipient: chain.argsAt(second)['recipient'] });
      },
    },
  ];
}

function findNumber(chain: AlteredChain, origin: Side, id: Hex): bigint {
  const { begun } = chain.base.counts(origin);
  const beginning = chain.entries.map(toEvent).find(({ args }) => (args['depositId'] ?? args['withdrawId']) === id);
  // It began in the tail, or it is the delivery itself and began before: then any number below serves as well.
  return (beginning?.args['nonce'] as bigint | undefined) ?? begun - 1n;
}

function repeats(kind: Kind, what: string): Alteration[] {
  return [
    {
      name: `${what} repeated`,
      code: 'PAID_TWICE',
      alter: (chain) => {
        const place = chain.pick(kind);
        chain.repeat(chain.entries[place] as Entry, place);
      },
    },
    {
      name: `${what} repeated a long time after`,
      code: 'PAID_TWICE',
      alter: (chain) => chain.repeat(chain.pickEarly(kind)),
    },
  ];
}

/** Alterations of what the data of a release says. */
function terms(
  fields: Readonly<Record<string, readonly [(terms: ExplainedIntent) => Partial<ExplainedIntent>, FindingCode]>>,
): Alteration[] {
  return Object.entries(fields).map(([name, [change, code]]) => ({
    name: `an intent whose signed terms have ${name}`,
    code,
    alter: (chain) => {
      const id = chain.argsAt(chain.pick(INTENT))['withdrawId'] as Hex;
      const known = chain.findIntent(id);
      if (known !== null) chain.explainIntent(id, { ...known, ...change(known) });
    },
  }));
}

/** A release of an intent that names the transfer which another event used. */
function usedTransfer(name: string, kind: Kind, toTransfer: (chain: AlteredChain, id: Hex) => Hex): Alteration {
  return {
    name,
    code: 'TRANSFER_PAID_TWICE',
    alter: (chain) => {
      const id = chain.argsAt(chain.entries.findLastIndex((one) => INTENT.is(toEvent(one), chain)))[
        'withdrawId'
      ] as Hex;
      const args = chain.argsAt(chain.pick(kind));
      const known = chain.findIntent(id);
      const transferId = toTransfer(chain, (args['withdrawId'] ?? args['refundId']) as Hex);
      if (known !== null) chain.explainIntent(id, { ...known, transferId });
    },
  };
}

function paidAgainAfterReopening(name: string, side: Side, kind: Kind, id: string): Alteration {
  return {
    name,
    code: 'PAID_TWICE',
    alter: (chain) => {
      const place = chain.pick(kind);
      const entry = chain.entries[place] as Entry;
      const reopened = { id: chain.argsAt(place)[id], count: 0n };
      chain.add(side, [[GENERATED_SETTINGS[side].contract, 'IdReopened', reopened]], place + 1);
      chain.repeat(entry, place + 1);
    },
  };
}

const CALL = { id: NO_HASH, index: 0n, target: MINT.contract, value: 0n, data: '0x' };
const SCHEDULED = { ...CALL, predecessor: NO_HASH, delay: 600n };
const TIMELOCK = MINT.timelock ?? zeroAddress;

type Change = readonly [name: string, args: EventArguments];

/** A change on the partner chain without announcement or vote. */
function unannounced(what: string, ...changes: readonly Change[]): Alteration {
  return {
    name: `${what} without announcement`,
    code: 'UNANNOUNCED',
    alter: (chain) =>
      chain.add(
        'partner',
        changes.map(([name, args]) => [MINT.contract, name, args]),
      ),
  };
}

/** A change on the partner chain that was announced, with another flaw. */
function announced(name: string, [event, args]: Change, code: FindingCode = 'TRUST_BROKEN'): Alteration {
  return {
    name,
    code,
    alter: (chain) => {
      chain.add('partner', [
        [MINT.contract, event, args],
        [TIMELOCK, 'CallExecuted', CALL],
      ]);
      chain.add('partner', [[TIMELOCK, 'CallScheduled', SCHEDULED]]);
    },
  };
}

/** A new relayer, with a broken announcement. */
function misannounced(
  name: string,
  before: readonly (readonly [string, EventArguments])[],
  execution: EventArguments | null,
): Alteration {
  return {
    name: `a relayer ${name}`,
    code: 'UNANNOUNCED',
    alter: (chain) => {
      const change = { previous: chain.base.keys('partner').relayer, current: STRANGER };
      const executed = execution === null ? [] : [[TIMELOCK, 'CallExecuted', execution] as const];
      chain.add('partner', [[MINT.contract, 'RelayerChanged', change], ...executed]);
      for (const [event, args] of before.toReversed()) chain.add('partner', [[TIMELOCK, event, args]]);
    },
  };
}

const REPLACED = { previous: zeroAddress, current: STRANGER };
const OFFERED = { previousOwner: TIMELOCK, newOwner: STRANGER };
const LIFTED = { beginningsPausedUntil: 0n, deliveriesPaused: false, by: TIMELOCK };

export const ALTERATIONS: readonly Alteration[] = [
  ...beginnings('ethereum', 'Deposit', 'depositId', 'recipient'),
  ...beginnings('partner', 'Withdraw', 'withdrawId', 'destination'),
  ...edits(toKind('Withdraw'), 'a Withdraw', {
    'a larger fee': [more('fee', 1n), 'WRONG_FEE'],
    'no fee': [() => ({ fee: 0n }), 'WRONG_FEE'],
  }),
  {
    name: 'a fee policy that nobody set',
    code: 'WRONG_FEE',
    alter: (chain) => {
      const token = chain.argsAt(chain.pick(toKind('Withdraw')))['token'];
      chain.add('partner', [[MINT.contract, 'FeePolicySet', { token, bps: 999n, minFee: 1n, minAmount: 2n }]]);
    },
  },
  ...payments('partner', MINTED, 'depositId', 'a Mint'),
  ...payments('ethereum', RELEASE, 'withdrawId', 'a Release'),
  ...edits(RELEASE, 'a Release', {
    'a larger fee': [more('fee', 1n), 'OTHER_TERMS'],
    'no fee': [() => ({ fee: 0n }), 'OTHER_TERMS'],
  }),
  ...repeats(XCN_RELEASE, 'a Release of XCN'),
  ...repeats(INTENT, 'the release of an intent'),
  ...edits(INTENT, 'the release of an intent', {
    'another id': [() => ({ withdrawId: NO_HASH }), 'NO_ORIGIN'],
    'another recipient': [() => ({ recipient: STRANGER }), 'WRONG_INTENT'],
    'a unit more': [more('amount', 1n), 'WRONG_INTENT'],
    'another fee': [(args) => ({ ...more('fee', 1n)(args), ...more('amount', -1n)(args) }), 'WRONG_INTENT'],
  }),
  {
    name: 'the release of an intent by no known call',
    code: 'NO_ORIGIN',
    alter: (chain) => chain.explainIntent(chain.argsAt(chain.pick(INTENT))['withdrawId'] as Hex, null),
  },
  ...terms({
    'another sender': [() => ({ sender: STRANGER }), 'WRONG_INTENT'],
    'another recipient': [() => ({ recipient: STRANGER }), 'WRONG_INTENT'],
    'another amount': [({ amount }) => ({ amount: amount + 1n }), 'WRONG_INTENT'],
    'another deadline': [({ deadline }) => ({ deadline: deadline + 1n }), 'WRONG_INTENT'],
    'another nonce': [() => ({ nonceHash: NO_HASH }), 'WRONG_INTENT'],
    'a transfer that never came': [() => ({ transferId: NO_HASH }), 'NOT_SWEPT'],
  }),
  usedTransfer('an intent paid by the transfer of another one', INTENT, (chain, id) => {
    return chain.findIntent(id)?.transferId ?? NO_HASH;
  }),
  usedTransfer('an intent paid by a transfer that was refunded', COIN_REFUND, (_, id) => id),
  ...edits(SWEPT, 'a sweep', {
    'another transfer': [() => ({ transferId: NO_HASH }), 'NOT_SWEPT'],
    'a unit less': [more('amount', -1n), 'NOT_SWEPT'],
  }),
  { name: 'a sweep left out', code: 'NOT_SWEPT', alter: (chain) => chain.remove(chain.pick(SWEPT)) },
  ...repeats(COIN_REFUND, 'a refund of coin'),
  ...repeats(TOKEN_REFUND, 'a refund of tokens'),
  ...edits(TOKEN_REFUND, 'a refund of tokens', {
    'another id': [() => ({ refundId: NO_HASH }), 'WRONG_REFUND'],
    'a unit more': [more('amount', 1n), 'WRONG_REFUND'],
    'an unknown token': [() => ({ token: STRANGER }), 'UNKNOWN_TOKEN'],
  }),
  {
    name: 'a refund of tokens for a transfer of less',
    code: 'WRONG_REFUND',
    alter: (chain) => {
      const { refundId, amount } = chain.argsAt(chain.pick(TOKEN_REFUND));
      chain.explainRefund(refundId as Hex, { sender: STRANGER, amount: (amount as bigint) - 1n });
    },
  },
  {
    name: 'a refund of coin whose transfer paid an intent',
    code: 'TRANSFER_PAID_TWICE',
    alter: (chain) => {
      const id = chain.argsAt(chain.pick(INTENT))['withdrawId'] as Hex;
      chain.edit(chain.pick(COIN_REFUND), { refundId: chain.findIntent(id)?.transferId });
    },
  },
  paidAgainAfterReopening('a reopened refund that is paid again', 'partner', COIN_REFUND, 'refundId'),
  paidAgainAfterReopening('a reopened intent that is paid again', 'ethereum', INTENT, 'withdrawId'),
  unannounced('a relayer', ['RelayerChanged', REPLACED]),
  unannounced('a guardian', ['GuardianChanged', REPLACED]),
  unannounced('a policy manager', ['PolicyManagerChanged', REPLACED]),
  unannounced('attesters', ['AttestersSet', { setNumber: 9n, attesters: [STRANGER], threshold: 1n }]),
  unannounced('a standby', ['StandbyChanged', { standby: STRANGER }]),
  unannounced('a token', ['TokenListed', { token: STRANGER, granularityExponent: 0n, unitExponent: 0n }]),
  unannounced('a listing', ['ListingSet', { token: STRANGER, mayBegin: true, mayDeliver: true }]),
  unannounced('a fee ceiling', ['FeeCeilingSet', { token: zeroAddress, bps: 9_999n, minFee: 1n, minAmount: 2n }]),
  unannounced('an offer of ownership', ['OwnershipTransferStarted', OFFERED]),
  unannounced('another owner', ['OwnershipTransferred', OFFERED]),
  unannounced('a successor', ['SuccessorAnnounced', { successor: STRANGER, handOverFrom: 1n }]),
  unannounced('a reopening', ['Reopened', { word: 0n, mask: 1n, count: 0n }]),
  unannounced('the end of a pause', ['PauseSet', { ...LIFTED, count: 0n }]),
  unannounced('a standby in office', ['StandbyChanged', { standby: zeroAddress }], ['RelayerChanged', REPLACED]),
  misannounced('that no call announced', [], CALL),
  misannounced('that was announced, but no call executed', [['CallScheduled', SCHEDULED]], null),
  misannounced(
    'whose announcement was cancelled',
    [
      ['CallScheduled', SCHEDULED],
      ['Cancelled', { id: NO_HASH }],
    ],
    CALL,
  ),
  misannounced('in a call of another contract', [['CallScheduled', SCHEDULED]], { ...CALL, target: LOCK.contract }),
  announced('a relayer after an unknown one', ['RelayerChanged', REPLACED]),
  announced('a set of attesters whose number skips', [
    'AttestersSet',
    { setNumber: 99n, attesters: [STRANGER], threshold: 1n },
  ]),
  announced('a threshold above the attesters', [
    'AttestersSet',
    { setNumber: 2n, attesters: [STRANGER], threshold: 2n },
  ]),
  announced('a pause whose count skips', ['PauseSet', { ...LIFTED, count: 999n }]),
  ...(['MinDelayChange', 'OfficeReplaced'] as const).map((name): Alteration => {
    const replaced = { office: 0, former: STRANGER, account: TIMELOCK, round: 99n, oldDuration: 1n, newDuration: 0n };
    const alter = (chain: AlteredChain) => chain.add('partner', [[TIMELOCK, name, replaced]]);
    return { name: `${name} without announcement or vote`, code: 'UNANNOUNCED', alter };
  }),
];
