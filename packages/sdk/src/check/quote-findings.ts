import type { Direction, FeeQuoteResponse, HealthResponse, LimitsResponse } from '@causeway/protocol';
import { describeAmount as write, formatTokenAmount, roundAmount, type Token } from '../amount.js';
import { describeChain } from '../chain-name.js';
import { AnswerError } from '../errors.js';
import type { Finding, FindingCode } from '../finding.js';
import { makeFinding } from './planned-transfer.js';

/** An amount of a direction, in atomic units. */
export interface PlannedAmount {
  readonly token: Token;
  readonly amount: bigint;
  readonly direction: Direction;
}

/** Finds an amount with dust that cannot be moved. Pure. */
export function findDust({ token, amount }: PlannedAmount): Finding[] {
  const granularity = BigInt(token.granularity);
  const dust = amount % granularity;
  // An amount that is only dust is below the minimum.
  if (dust === 0n || dust === amount) return [];
  return [
    makeFinding('AMOUNT_HAS_DUST', 'amount', {
      message: `${write(token, amount)} is not a multiple of ${write(token, granularity)}.`,
      nextStep: `Choose ${write(token, amount - dust)}.`,
      remedyAmount: formatTokenAmount(token, amount - dust),
    }),
  ];
}

/** Finds why an amount that the API does not quote cannot begin an operation. Pure. */
export function findOutOfBounds({ token, amount, direction }: PlannedAmount, limits: LimitsResponse): Finding[] {
  const { paused, assets } = limits[direction];
  const bounds = assets.find((each) => each.token === token.token);
  if (bounds === undefined) return [];
  const [minimum, maximum] = [BigInt(bounds.minimumAmount), BigInt(bounds.maximumAmount)];
  // A deposit has no minimum but cannot be empty.
  const least = minimum > 0n ? minimum : BigInt(token.granularity);
  const makeBound = (code: FindingCode, is: string, choose: string, bound: bigint) =>
    makeFinding(code, 'amount', {
      message: `${write(token, amount)} is ${is} of ${write(token, bound)}.`,
      nextStep: `Choose ${choose} ${write(token, bound)}.`,
      remedyAmount: formatTokenAmount(token, bound),
    });
  return [
    ...(paused ? [PAUSE] : []),
    ...(bounds.mayBegin
      ? []
      : [
          makeFinding('PAUSED', 'asset', {
            message: `${token.token} is not accepted in this direction.`,
            nextStep: 'Choose another asset.',
          }),
        ]),
    ...(amount < least
      ? [makeBound('AMOUNT_TOO_LOW', 'below the minimum', 'at least', roundAmount(token, least, 'up'))]
      : []),
    ...(amount > maximum
      ? [makeBound('AMOUNT_TOO_HIGH', 'above the maximum', 'at most', roundAmount(token, maximum, 'down'))]
      : []),
  ];
}

const PAUSE = makeFinding('PAUSED', 'direction', {
  passes: true,
  message: 'No transfer of this direction can begin at present.',
  nextStep: 'Try again later.',
});

/**
 * Verifies that a quote matches the terms and that its formatted amounts equal its atomic amounts, because a user reads
 * the former and signs the latter. The API decides the fee; the contract refuses a higher one.
 *
 * @throws AnswerError that names the field.
 */
export function assertQuoted({ token, amount, direction }: PlannedAmount, quote: FeeQuoteResponse): void {
  const fee = direction === 'ETHEREUM_TO_PARTNER' ? 0n : BigInt(quote.feeAmount);
  const output = amount - fee;
  const expected = {
    token: token.token,
    direction,
    inputAmount: `${amount}`,
    inputAmountFormatted: formatTokenAmount(token, amount),
    feeAmount: `${fee}`,
    feeAmountFormatted: formatTokenAmount(token, fee),
    outputAmount: `${output}`,
    outputAmountFormatted: formatTokenAmount(token, output),
  } satisfies Partial<FeeQuoteResponse>;
  for (const [field, value] of Object.entries(expected)) {
    const found = quote[field as keyof typeof expected];
    if (found !== value) throw new AnswerError(field, `is ${found}, and ${value} is right`);
  }
}

/** Maximum fee of a withdrawal: share of the amount in basis points, and atomic units. */
interface FeeBounds {
  readonly maxFeeShareBps?: number | undefined;
  readonly maxFee?: bigint | undefined;
}

/** Finds problems that a quote reveals. `health` is given only while deliveries are paused. Pure. */
export function findInQuote(
  token: Token,
  quote: FeeQuoteResponse,
  health: HealthResponse | null,
  { maxFeeShareBps = 10_000, maxFee }: FeeBounds,
): Finding[] {
  const { paused, deliverable, inputAmount, feeAmount } = quote;
  const fee = BigInt(feeAmount);
  const share = (BigInt(inputAmount) * BigInt(maxFeeShareBps)) / 10_000n;
  const highest = maxFee === undefined || share < maxFee ? share : maxFee;
  return [
    ...(paused ? [PAUSE] : []),
    ...(deliverable ? [] : [findDelay(token, quote, health)]),
    ...(fee > highest
      ? [
          makeFinding('FEE_TOO_HIGH', 'amount', {
            message: `The fee is ${write(token, fee, 'up')}, and at most ${write(token, highest, 'down')} are accepted.`,
            nextStep: 'Choose a higher amount, or accept a higher fee.',
          }),
        ]
      : []),
  ];
}

const writeTime = (time: string) => new Date(time).toUTCString();

/** Code and cause in words. */
const DELAYS: Readonly<Partial<Record<string, readonly [FindingCode, string]>>> = {
  PAUSED: ['DELIVERIES_PAUSED', 'deliveries are paused'],
  CHAIN_AWAY: ['CHAIN_AWAY', 'the nodes of a chain do not answer the bridge, or it makes no blocks'],
  RELAYER_AWAY: ['RELAYER_AWAY', 'no relayer is running'],
  OUTFLOW_LIMIT: ['LIMIT_REACHED', 'the outflow limit is reached'],
  COLLATERAL_SHORT: ['FUNDS_SHORT', 'the bridge is short of collateral'],
  FLOAT_SHORT: ['FUNDS_SHORT', 'the bridge is short of coin'],
};

/** Describes a delay, also for an unknown reason. A transfer that begins anyway is delayed, not lost. */
function findDelay(token: Token, quote: FeeQuoteResponse, health: HealthResponse | null): Finding {
  const { undeliverableReason, deliverableAt: until, availableAmount, minimumAmount } = quote;
  const halts =
    health?.halts?.map(({ chainId, since }) => `${describeChain(chainId)} is halted since ${writeTime(since)}`) ?? [];
  const known = DELAYS[undeliverableReason ?? ''] ?? ['NOT_CHECKED', `the bridge says ${undeliverableReason}`];
  const [code, cause] = halts.length > 0 ? (['CHAIN_HALTED', halts.join(', ')] as const) : known;
  const available = roundAmount(token, BigInt(availableAmount), 'down');
  const canLower = available > 0n && available >= BigInt(minimumAmount);
  return makeFinding(code, 'amount', {
    severity: 'acceptable',
    passes: true,
    until,
    message: `The delivery would wait ${until === null ? 'for an unknown time' : `until ${writeTime(until)}`}: ${cause}.`,
    nextStep: canLower ? `Choose at most ${write(token, available)}, or wait.` : 'Wait, and try again later.',
    ...(canLower ? { remedyAmount: formatTokenAmount(token, available) } : {}),
  });
}
