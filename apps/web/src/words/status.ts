import type { ClosedReason } from '@causeway/sdk';

/** Why no transfer can begin in a direction, one sentence each. */
export const CLOSED_WORDS: Readonly<Record<ClosedReason, string>> = {
  PAUSED: 'New transfers in this direction are paused.',
  DELIVERIES_PAUSED: 'Deliveries in this direction are paused.',
  CHAIN_HALTED: 'The operators have halted the bridge on one chain.',
  CHAIN_AWAY: 'One chain does not answer, or makes no blocks.',
  DATABASE_AWAY: 'The database of the bridge does not answer.',
  RELAYER_AWAY: 'No relayer is running, so nothing is delivered at present.',
  LIMIT_REACHED: 'The outflow limit of this direction is reached.',
  FUNDS_SHORT: 'The bridge holds too little of this asset at the destination.',
};

function count(number: number, one: string, many: string): string {
  return number === 0 ? '' : `${number} ${number === 1 ? one : many}`;
}

/** Texts of the page that shows whether the bridge is well. */
export const STATUS = {
  title: 'Is the bridge well?',
  well: 'Every part works, and every direction is open.',
  unwell: ({ broken, short, closed }: Readonly<Record<'broken' | 'short' | 'closed', number>>) =>
    [
      count(broken, 'part does not work', 'parts do not work'),
      count(short, 'asset is not covered', 'assets are not covered'),
      count(closed, 'direction is closed', 'directions are closed'),
    ]
      .filter((each) => each !== '')
      .join(', ')
      .concat('.'),
  unwellText: 'A transfer that has begun is not lost. It is delivered when the problem is over.',
  old: (time: string) => `This is the last known state, of ${time}.`,
  oldText: 'The API of the bridge does not answer. This page tries again every few seconds.',
  parts: {
    title: 'Parts',
    relayer: 'Relayer',
    attesters: (chain: string) => `Attesters on ${chain}`,
    works: 'Works',
    broken: 'Does not work',
    block: (number: string, age: string) => `Block ${number}, ${age} old`,
    noBlock: 'The newest block is unknown.',
    quorum: (needed: number, members: number) => `${needed} of ${members} must sign each delivery`,
    noQuorum: 'No signatures are needed',
  },
  directions: {
    title: 'Directions',
    asset: 'Asset',
    from: 'Direction',
    state: 'State',
    left: 'Left of the limit',
    open: 'Open',
    closed: 'Closed',
    until: 'Until',
    unknown: (reason: string) => `This direction is closed (${reason}).`,
    of: (remaining: string, capacity: string, asset: string) => `${remaining} of ${capacity} ${asset}`,
  },
  reserves: {
    title: 'Locked against supply',
    asset: 'Asset',
    locked: (chain: string) => `Locked on ${chain}`,
    supply: (chain: string) => `Supply on ${chain}`,
    float: 'Float',
    noFloat: 'Not needed',
    state: 'Covered',
    covered: 'Covered',
    short: 'Not covered',
  },
  reservesCheck: {
    title: 'Check the reserves',
    intro:
      "Your browser computes them from both chains, and checks the hashes and signatures of the attesters' daily statements.",
    ownNodes: 'Use your own nodes.',
    startHere: "Check with this page's nodes",
    start: 'Check with your nodes',
    running: 'Reading both chains',
    failed: 'The check failed',
    right: (statements: number) =>
      statements === 0
        ? 'Everything owed is locked. There are no statements of attesters.'
        : `Everything owed is locked, and ${statements === 1 ? 'the newest statement is' : `the newest ${statements} statements are`} right.`,
    wrong: 'The chains show something else. Do not begin a transfer, and tell the operators.',
    found: 'What your nodes show',
    columns: {
      asset: 'Asset',
      locked: 'Locked',
      supply: 'Supply',
      held: 'Held by relayer',
      inFlight: 'In flight',
      fees: 'Fees',
    },
    unread: "Your nodes no longer have the state of the newest statement's blocks, so its numbers are not compared.",
    readAt: (ethereum: string, partner: string) =>
      `At block ${ethereum} of Ethereum and ${partner} of the partner chain.`,
  },
  changes: {
    title: 'Announced changes of the contracts',
    none: 'None are announced.',
    unknown: 'They cannot be read at present.',
    at: 'Not before',
    what: 'Change',
    chain: 'Chain',
  },
} as const;
