import fc from 'fast-check';
import { concat, hexToBytes, numberToHex, type Address, type Hex } from 'viem';
import { makeAccount, SENDERS, CHAIN_ID, GWEI, UNIT, VALIDATOR, type EngineWorld } from './engine-world.js';
import {
  assemble,
  deploying,
  BOMB,
  FACTORY,
  FORWARD,
  LOGGER,
  READER,
  REVERTER,
  STORE,
  TOKEN,
  words,
} from './contracts.js';

const KINDS = [
  'transfer',
  'self-transfer',
  'store',
  'log',
  'token',
  'revert',
  'forward',
  'create',
  'create-failing',
  'deploy',
  'deploy-reverting',
  'explode',
  'delegate',
] as const;
const TYPES = ['legacy', 'eip2930', 'eip1559'] as const;

/** One transaction of a random load. */
export interface Action {
  readonly from: number;
  readonly kind: (typeof KINDS)[number];
  readonly type: (typeof TYPES)[number];
  readonly units: bigint;
  readonly target: number;
  readonly slot: bigint;
  readonly value: bigint;
  readonly gas: bigint;
  /** Wei per unit of gas above the base fee. */
  readonly tip: bigint;
}

/** Blocks of transactions of every type and kind, some of which fail. */
export const randomBlocks: fc.Arbitrary<Action[][]> = fc.array(
  fc.array(
    fc.record({
      from: fc.nat({ max: SENDERS.length - 1 }),
      kind: fc.constantFrom(...KINDS),
      type: fc.constantFrom(...TYPES),
      units: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 10n ** 9n })),
      target: fc.nat({ max: 5 }),
      slot: fc.bigInt({ min: 0n, max: 3n }),
      value: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })),
      gas: fc.constantFrom(60_000n, 700_000n, 2_000_000n, 2_000_000n),
      tip: fc.bigInt({ min: 0n, max: 5n * GWEI }),
    }),
    { minLength: 1, maxLength: 10 },
  ),
  { minLength: 1, maxLength: 4 },
);

/** Adds a block's actions to the pool, except those that the chain refuses as unaffordable or short of gas. */
export async function submitAll(world: EngineWorld, actions: readonly Action[]): Promise<number> {
  let taken = 0;
  for (const action of actions) {
    world.submit(await signAction(world, action));
    taken += 1;
  }
  return taken;
}

async function signAction(world: EngineWorld, action: Action): Promise<Hex> {
  const sender = SENDERS[action.from % SENDERS.length] ?? makeAccount('a');
  const { to, data, units } = toMessage(action, sender.address);
  const common = {
    chainId: CHAIN_ID,
    nonce: Number(world.engine.pendingNonce(hexToBytes(sender.address))),
    value: units * UNIT,
    data,
    gas: action.gas,
    ...(to === null ? {} : { to }),
  };
  const gasPrice = GWEI / 2n + action.tip;
  if (action.kind === 'delegate') {
    const authority = makeAccount(`authority ${action.target}`);
    const nonce = Number(world.account(authority.address)?.nonce ?? 0n) + (action.slot === 3n ? 1 : 0);
    const authorization = await authority.signAuthorization({
      chainId: action.slot === 2n ? 0 : CHAIN_ID,
      address: action.slot === 1n ? `0x${'00'.repeat(20)}` : STORE,
      nonce,
    });
    return await sender.signTransaction({
      ...common,
      type: 'eip7702',
      to: authority.address,
      maxFeePerGas: gasPrice,
      maxPriorityFeePerGas: action.tip,
      authorizationList: [authorization],
    });
  }
  if (action.type === 'eip1559') {
    return await sender.signTransaction({
      ...common,
      type: 'eip1559',
      maxFeePerGas: gasPrice + 7n,
      maxPriorityFeePerGas: action.tip,
      accessList: [],
    });
  }
  const accessList = [{ address: STORE, storageKeys: [numberToHex(action.slot, { size: 32 })] }];
  return action.type === 'legacy'
    ? await sender.signTransaction({ ...common, type: 'legacy', gasPrice })
    : await sender.signTransaction({ ...common, type: 'eip2930', gasPrice, accessList });
}

interface ActionMessage {
  readonly to: Address | null;
  readonly data: Hex;
  readonly units: bigint;
}

function toMessage({ kind, units, target, slot, value }: Action, self: Address): ActionMessage {
  const aims = [
    makeAccount(`new ${target} ${slot}`).address,
    VALIDATOR,
    READER,
    ...SENDERS.map(({ address }) => address),
  ];
  const aim = aims[target % aims.length] ?? VALIDATOR;
  switch (kind) {
    case 'transfer':
      return { to: aim, data: '0x', units };
    case 'self-transfer':
      return { to: self, data: '0x', units };
    case 'store':
      return { to: STORE, data: words(slot, value), units };
    case 'log':
      return { to: LOGGER, data: concat([words(slot, value), numberToHex(value)]), units };
    case 'token':
      return { to: TOKEN, data: words(aim, value), units };
    case 'revert':
      return { to: REVERTER, data: '0x', units };
    case 'forward':
      return { to: FORWARD, data: words(target % 2 === 0 ? REVERTER : aim), units };
    case 'create':
      return { to: FACTORY, data: deploying(`0x00${numberToHex(value, { size: 32 }).slice(2)}`), units };
    case 'create-failing':
      return { to: FACTORY, data: assemble(`1 ${slot} SSTORE 0 0 REVERT`), units };
    case 'deploy':
      return { to: null, data: assemble(`${value} ${slot} SSTORE 0 0 RETURN`), units };
    case 'deploy-reverting':
      return { to: null, data: assemble('0 0 REVERT'), units };
    case 'explode':
      // A contract that destroys itself in its constructor, and one that only sends its balance.
      return target % 2 === 0
        ? { to: null, data: assemble(`${aim} SELFDESTRUCT`), units }
        : { to: BOMB, data: words(aim), units };
    case 'delegate':
      return { to: null, data: words(slot, value), units };
  }
}
