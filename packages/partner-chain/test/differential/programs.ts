import fc from 'fast-check';
import { getAddress, keccak256, size, stringToHex, toHex, type Address, type Hex } from 'viem';
import { assemble, TRANSFER_TOPIC } from '../contracts.js';

/** A paid account: one of a few, which become existing ones, or one that no other transaction uses. */
export type Payee = { readonly pool: number } | { readonly fresh: number };

/** A part of a program. It leaves the stack unchanged. */
type Step =
  | { readonly kind: 'pay'; readonly to: Payee; readonly value: number }
  | { readonly kind: 'token'; readonly to: Payee; readonly form: (typeof TOKEN_FORMS)[number] }
  | { readonly kind: 'store'; readonly slot: number; readonly value: number }
  | { readonly kind: 'load'; readonly slot: number }
  | {
      readonly kind: 'call';
      readonly target: number;
      readonly value: number;
      readonly isDelegate: boolean;
      /** Run twice: a failed frame creates no account, so the same account is new again. */
      readonly isTwice: boolean;
    }
  | { readonly kind: 'create'; readonly to: Payee; readonly value: number };

/** Transfers of tokens, and other events. */
const TOKEN_FORMS = ['transfer', 'transfer', 'burn', 'other-event', 'two-words', 'non-fungible'] as const;
const ENDINGS = ['stop', 'stop', 'stop', 'stop', 'revert', 'revert', 'selfdestruct', 'invalid'] as const;

export interface Program {
  readonly steps: readonly Step[];
  readonly ending: (typeof ENDINGS)[number];
  /** The heir of a contract that destroys itself. */
  readonly heir: Payee;
}

/** One transaction of the comparison. */
export type Action = { readonly sender: number; readonly type: 'legacy' | 'eip2930' | 'eip1559' } & (
  | { readonly kind: 'transfer'; readonly to: Payee; readonly units: number; readonly data: Hex }
  | { readonly kind: 'deploy'; readonly program: Program }
  | { readonly kind: 'construct'; readonly program: Program; readonly units: number }
  | { readonly kind: 'call'; readonly target: number; readonly units: number; readonly lists: boolean }
  | { readonly kind: 'delegate'; readonly authority: number; readonly to: Payee; readonly units: number }
);

const payee: fc.Arbitrary<Payee> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ pool: fc.nat({ max: 11 }) }) },
  { weight: 2, arbitrary: fc.record({ fresh: fc.noBias(fc.nat({ max: 2 ** 31 - 1 })) }) },
);
const some = fc.constantFrom(0, 1, 1, 5);
const target = fc.nat({ max: 1_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pay' as const), to: payee, value: some }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('token' as const), to: payee, form: fc.constantFrom(...TOKEN_FORMS) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('store' as const),
      slot: fc.nat({ max: 3 }),
      value: fc.constantFrom(0, 0, 1, 2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('load' as const), slot: fc.nat({ max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      target,
      value: some,
      isDelegate: fc.boolean(),
      isTwice: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const), to: payee, value: some }) },
);
const program: fc.Arbitrary<Program> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  ending: fc.constantFrom(...ENDINGS),
  heir: payee,
});
const base = { sender: fc.nat({ max: 3 }), type: fc.constantFrom('legacy', 'eip2930', 'eip1559') } as const;
const bytes = fc.oneof(
  fc.constant<Hex>('0x'),
  fc.uint8Array({ minLength: 1, maxLength: 600 }).map((array) => toHex(array)),
  // Mostly zeros, and enough bytes for the floor of EIP-7623 to apply.
  fc.nat({ max: 4_000 }).map((length): Hex => `0x${'00'.repeat(length)}01`),
);

export const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ ...base, kind: fc.constant('transfer' as const), to: payee, units: some, data: bytes }),
  },
  { weight: 3, arbitrary: fc.record({ ...base, kind: fc.constant('deploy' as const), program }) },
  { weight: 3, arbitrary: fc.record({ ...base, kind: fc.constant('construct' as const), program, units: some }) },
  {
    weight: 5,
    arbitrary: fc.record({ ...base, kind: fc.constant('call' as const), target, units: some, lists: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...base,
      kind: fc.constant('delegate' as const),
      authority: fc.nat({ max: 5 }),
      to: payee,
      units: some,
    }),
  },
);

export function toAddress(to: Payee): Address {
  const name = 'pool' in to ? `pool ${to.pool}` : `fresh ${to.fresh}`;
  return getAddress(`0x${keccak256(stringToHex(`payee ${name}`)).slice(-40)}`);
}

/** A deployed program. */
export interface Contract {
  readonly address: Address;
  /** 0 if it calls no other contract. */
  readonly level: number;
}

/**
 * Gas of calls by the level of the called contract: enough for everything it can do, and independent of the gas used
 * before, because some contracts use up all their gas.
 */
const CALL_GAS = [3_500_000, 10_000_000];

/** Finds the contract that a program calls: that of the first call whose level allows it. */
export function findCallee({ steps }: Program, contracts: readonly Contract[]): Contract | undefined {
  const callable = contracts.filter(({ level }) => level < CALL_GAS.length);
  const call = steps.find((one) => one.kind === 'call');
  return call === undefined ? undefined : callable[call.target % callable.length];
}

/** Compiles a program. Amounts are units here, and the same number of wei on the anvil. */
export function compile(source: Program, contracts: readonly Contract[]): Hex {
  const { steps, ending, heir } = source;
  const callee = findCallee(source, contracts);
  const call = steps.find((one) => one.kind === 'call');
  const endings = {
    stop: 'STOP',
    revert: '0 0 REVERT',
    invalid: 'INVALID',
    // The balance is for the analysis of the trace.
    selfdestruct: `SELFBALANCE POP ${toAddress(heir)} SELFDESTRUCT`,
  };
  const parts = steps.map((one) => compileStep(one, one === call ? callee : undefined));
  return assemble(`${parts.join(' ')} ${endings[ending]}`);
}

function compileStep(one: Step, callee: Contract | undefined): string {
  switch (one.kind) {
    case 'pay':
      return `0 0 0 0 ${one.value} ${toAddress(one.to)} GAS CALL POP`;
    case 'token':
      return compileEvent(one.form, toAddress(one.to));
    case 'store':
      return `${one.value} ${one.slot} SSTORE`;
    case 'load':
      return `${one.slot} SLOAD POP`;
    case 'call': {
      if (callee === undefined) return '';
      const value = one.isDelegate ? '' : one.value;
      const opcode = one.isDelegate ? 'DELEGATECALL' : 'CALL';
      const call = `0 0 0 0 ${value} ${callee.address} ${CALL_GAS[callee.level]} ${opcode} POP`;
      return one.isTwice && callee.level === 0 ? `${call} ${call}` : call;
    }
    case 'create': {
      // A contract that destroys itself in its constructor.
      const init = assemble(`SELFBALANCE POP ${toAddress(one.to)} SELFDESTRUCT`);
      return `${init} 0 MSTORE ${size(init)} ${32 - size(init)} ${one.value} CREATE POP`;
    }
  }
}

function compileEvent(form: (typeof TOKEN_FORMS)[number], to: Address): string {
  const topic = form === 'other-event' ? keccak256('0x01') : TRANSFER_TOPIC;
  const length = form === 'two-words' ? 64 : 32;
  if (form === 'non-fungible') return `7 ${to} CALLER ${topic} 0 0 LOG4`;
  return `${form === 'burn' ? 0 : to} CALLER ${topic} ${length} 0 LOG3`;
}
