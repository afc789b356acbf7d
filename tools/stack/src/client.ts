import type { Condition, Funding, Reached, Scenarios, Stack, StackFacts } from './stack.js';

/** A call that the stack refused or that failed. */
export class StackError extends Error {
  override readonly name = 'StackError';

  /** @param field the wrong parameter; undefined when the call failed otherwise. */
  constructor(
    message: string,
    readonly field?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

class NoAnswerError extends StackError {}

type Answer = Readonly<Record<string, unknown>> & { readonly condition?: number };

/**
 * Connects to a stack that another process started.
 *
 * @param controlUrl from `causeway-stack --json`, or of a `Stack`.
 * @throws StackError when no stack answers there.
 */
export async function connectStack(controlUrl: string): Promise<Stack> {
  return makeStack(controlUrl, () => Promise.resolve());
}

/**
 * Creates the client of a running stack.
 *
 * @param findEnd called when no answer comes: how the stack has ended, or null when that is unknown.
 */
export async function makeStack(
  controlUrl: string,
  stop: () => Promise<void>,
  findEnd: () => Promise<string | null> = () => Promise.resolve(null),
): Promise<Stack> {
  const facts = (await send(controlUrl, { method: 'GET' })) as unknown as StackFacts;
  const call = async (name: string, parameters: object = {}) => {
    try {
      return await post(controlUrl, name, parameters);
    } catch (error) {
      const end = error instanceof NoAnswerError ? await findEnd() : null;
      throw end === null ? error : new StackError(`The stack has ended: ${end}`, undefined, { cause: error });
    }
  };
  const fund = async (funding: Funding) => {
    if (typeof funding.amount !== 'bigint') throw new StackError('amount: must be a bigint of atomic units', 'amount');
    await call('fund', { ...funding, amount: funding.amount.toString() });
  };
  return { ...facts, scenarios: makeScenarios(call), fund, stop };
}

function makeScenarios(call: (name: string, parameters?: object) => Promise<Answer>): Scenarios {
  const begin = async <T>(name: string, parameters?: object) => {
    const { condition, ...made } = await call(name, parameters);
    const lift = async () => {
      if (condition !== undefined) await call('lift', { condition });
    };
    return { ...made, lift } as Condition & T;
  };
  return {
    reachStatus: (status) => begin<Reached>('reachStatus', { status }),
    reachDelay: (reason) => begin<Reached>('reachDelay', { reason }),
    reachError: (code) => begin('reachError', { code }),
    pause: (chain, what) => begin('pause', { chain, what }),
    limitOutflow: (chain, asset) => begin('limitOutflow', { chain, asset }),
    emptyFloat: () => begin('emptyFloat'),
    raiseFees: () => begin('raiseFees'),
    holdBlocks: () => begin('holdBlocks'),
    stopApi: () => begin('stopApi'),
    stopRelayer: () => begin('stopRelayer'),
    reorg: () => begin<Reached>('reorg'),
    refuseRecipient: async () => {
      const refused = await begin<Reached & { readonly claimable: string }>('refuseRecipient');
      return { ...refused, claimable: BigInt(refused.claimable) };
    },
    bindLate: () => begin<Reached>('bindLate'),
    passHold: () => begin<Reached>('passHold'),
    passTime: async (seconds) => {
      await call('passTime', { seconds });
    },
  };
}

async function post(controlUrl: string, name: string, parameters: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return send(`${controlUrl}/${name}`, { method: 'POST', headers, body: JSON.stringify(parameters) });
}

async function send(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init).catch((cause: unknown) => {
    throw new NoAnswerError(`No stack answers at ${url}`, undefined, { cause });
  });
  const body = (await response.json()) as Answer & { readonly message?: string; readonly field?: string };
  if (!response.ok) throw new StackError(body.message ?? `The stack answers ${response.status}`, body.field);
  return body;
}
