import type { ConfigResponse, FeeQuoteResponse } from '@causeway/protocol';
import { parseAccount } from '../account.js';
import { assertDecimal, formatTokenAmount, parseTokenAmount, type Token } from '../amount.js';
import { getConfig } from '../api/config.js';
import { getHealth } from '../api/health.js';
import { getLimits } from '../api/limits.js';
import { getQuote } from '../api/quote.js';
import { withSignal, type ReadOptions } from '../api/request.js';
import type { Bridge } from '../bridge.js';
import { ApiError, CheckError, InvalidInputError } from '../errors.js';
import type { Wallet } from '../wallet/wallet.js';
import { estimateGasFee, findInAccount } from './account-findings.js';
import { readAccount, type NewestBlock } from './account-state.js';
import type { Finding, FindingCode } from '../finding.js';
import { findRoute, findToken, isCoin, makeFinding, type PlannedTransfer } from './planned-transfer.js';
import { assertQuoted, findDust, findInQuote, findOutOfBounds, type PlannedAmount } from './quote-findings.js';
import { findInPayee, findInRecipient, findInWarnings } from './recipient-findings.js';

/** How a transfer is checked. */
export interface CheckTerms extends ReadOptions {
  /** The highest share of the fee in the amount, in basis points (100 are 1 %). No bound unless given. */
  readonly maxFeeShareBps?: number | undefined;
  /** The highest fee in atomic units, such as that of a quote that a user has seen. No bound unless given. */
  readonly maxFee?: bigint | undefined;
  /** The highest fee for gas, in wei of the coin of the origin chain. 0.02 ETH or 50 XCN unless given. */
  readonly maxGasFee?: bigint | undefined;
}

/** The result of a check, and everything that it read. */
export interface CheckReport {
  /** Blocking ones first. */
  readonly findings: readonly Finding[];
  readonly config: ConfigResponse;
  /** Of the origin chain. */
  readonly token: Token;
  /** In atomic units. */
  readonly amount: bigint;
  /** Null where the API gives none for the amount, and of the rest of an amount with dust. Then a finding blocks. */
  readonly quote: FeeQuoteResponse | null;
  /** Of the origin chain, by the wallet's node. Null while the wallet is on another chain. Then a finding blocks. */
  readonly block: NewestBlock | null;
  /** The fee for gas that is likely at most, in wei, by the same node. 0 for contracts: another account pays it. */
  readonly gasFee: bigint | null;
}

/** A report without a reason not to begin. */
export interface PassedCheck extends CheckReport {
  readonly quote: FeeQuoteResponse;
  readonly block: NewestBlock;
  readonly gasFee: bigint;
}

const SEVERITIES = ['blocking', 'acceptable', 'note'] as const satisfies readonly Finding['severity'][];

/**
 * Looks for reasons not to begin a transfer, before anything is signed: in the configuration and a quote of the bridge,
 * and in the account, its chain and its coin by the wallet's own node. It opens no window of the wallet.
 *
 * @throws InvalidInputError for a malformed argument; ApiError, UnreachableError, AnswerError of the bridge;
 *   WalletFailedError when the wallet's node does not answer.
 * @example
 * ```ts
 * const transfer = { kind: 'DEPOSIT', asset: 'ETH', amount: '0.5', recipient } as const;
 * const { findings } = await checkTransfer(bridge, wallet, transfer);
 * ```
 */
export async function checkTransfer(
  bridge: Bridge,
  wallet: Wallet,
  transfer: PlannedTransfer,
  checked: CheckTerms = {},
): Promise<CheckReport> {
  const { signal, maxFeeShareBps, maxGasFee } = checked;
  const { kind, asset } = transfer;
  const { direction, origin } = findRoute(kind);
  const recipient = parseAccount('recipient', transfer.recipient);
  if (typeof transfer.amount !== 'bigint') assertDecimal(transfer.amount);
  if (maxFeeShareBps !== undefined && !(Number.isInteger(maxFeeShareBps) && maxFeeShareBps >= 0))
    throw new InvalidInputError('maxFeeShareBps', 'must be a whole number of basis points');
  if (maxGasFee !== undefined && typeof maxGasFee !== 'bigint')
    throw new InvalidInputError('maxGasFee', 'must be a bigint in wei');

  const askQuote = async (amount: string, options: ReadOptions) =>
    readQuote(bridge, { asset, amount, direction, sender: wallet.account, recipient }, options);
  const [config, early, state] = await withSignal(signal, async (both) =>
    Promise.all([
      getConfig(bridge, { signal: both }),
      // Atomic units need the decimals of the configuration first.
      typeof transfer.amount === 'bigint' ? null : askQuote(transfer.amount, { signal: both }),
      readAccount(wallet),
    ]),
  );
  const token = findToken(config, kind, asset);
  const amount = parseTokenAmount(token, transfer.amount);
  const planned = { token, amount, direction };
  const movable = amount - (amount % BigInt(token.granularity));
  const quoted = early ?? (movable > 0n ? await askQuote(formatTokenAmount(token, movable), { signal }) : null);
  if (isQuote(quoted)) assertQuoted({ ...planned, amount: movable }, quoted);

  const account = { config, kind, token, amount, wallet, state, maxGasFee };
  const ofRecipient = findInRecipient(config, recipient);
  const found = [
    ...findInAccount(account),
    ...findDust(planned),
    ...ofRecipient,
    ...(kind === 'INTENT' ? findInPayee(bridge) : []),
    ...(kind === 'INTENT' && config.relayerWalletAddress === null ? [NO_WALLET_TO_PAY] : []),
    ...(isQuote(quoted)
      ? await findByQuote(bridge, { token, quote: quoted, hasRecipientFinding: ofRecipient.length > 0 }, checked)
      : await findByLimits(bridge, planned, quoted, { signal })),
  ];
  return {
    findings: SEVERITIES.flatMap((severity) => found.filter((finding) => finding.severity === severity)),
    config,
    token,
    amount,
    quote: isQuote(quoted) ? quoted : null,
    ...(state.chainId === config[origin].chainId
      ? { block: state.block, gasFee: estimateGasFee(account) }
      : { block: null, gasFee: null }),
  };
}

/**
 * Ends a transfer that has reasons not to begin.
 *
 * @param accept codes of acceptable findings that do not count.
 * @throws CheckError with all that count.
 */
export function assertPasses(report: CheckReport, accept: readonly FindingCode[] = []): asserts report is PassedCheck {
  const stopping = report.findings.filter(
    ({ code, severity }) => severity === 'blocking' || (severity === 'acceptable' && !accept.includes(code)),
  );
  if (stopping.length > 0) throw new CheckError(stopping);
}

const NO_WALLET_TO_PAY = makeFinding('PAUSED', 'direction', {
  passes: true,
  message: 'The bridge names no relayer wallet at present, so no intent can be paid.',
  nextStep: 'Try again later.',
});

const isQuote = (quoted: FeeQuoteResponse | ApiError | null): quoted is FeeQuoteResponse =>
  quoted !== null && !(quoted instanceof ApiError);

/** A quote, or the refusal of an amount or an asset. */
async function readQuote(...asked: Parameters<typeof getQuote>): Promise<FeeQuoteResponse | ApiError> {
  return getQuote(...asked).catch((error: unknown) => {
    if (error instanceof ApiError && (error.field === 'amount' || error.field === 'token')) return error;
    throw error;
  });
}

async function findByQuote(
  bridge: Bridge,
  { token, quote, hasRecipientFinding }: { token: Token; quote: FeeQuoteResponse; hasRecipientFinding: boolean },
  checked: CheckTerms,
): Promise<Finding[]> {
  const { signal } = checked;
  const isPaused = quote.undeliverableReason === 'PAUSED';
  // Only the name of a halted chain is missing without it.
  const health = isPaused ? await getHealth(bridge, { signal }).catch(() => null) : null;
  signal?.throwIfAborted();
  const warnings = (quote.warnings ?? []).filter(
    // The wallet's own node has shown the balance of the coin, and the configuration named the recipient.
    ({ field }) => !(field === 'sender' && isCoin(token)) && !(field === 'recipient' && hasRecipientFinding),
  );
  return [...findInQuote(token, quote, health, checked), ...findInWarnings(warnings)];
}

/** The limits have the figures that a refusal lacks. */
async function findByLimits(
  bridge: Bridge,
  planned: PlannedAmount,
  refusal: ApiError | null,
  options: ReadOptions,
): Promise<Finding[]> {
  const found = findOutOfBounds(planned, await getLimits(bridge, options));
  if (found.length === 0 && refusal !== null) throw refusal;
  return found;
}
