import type { ConfigResponse, FeeQuoteResponse } from '@causeway/protocol';
import { parseAccount } from '../account.js';
import { assertDecimal, formatTokenAmount, parseTokenAmount, type Token } from '../amount.js';
import { getConfig } from '../api/config.js';
import { getHealth } from '../api/health.js';
import { getLimits } from '../api/limits.js';
import { getQuote } from '../api/quote.js';
import type { Bridge } from '../bridge.js';
import { ApiError, CheckError, InvalidInputError, WrongNetworkError } from '../errors.js';
import type { Wallet } from '../wallet/wallet.js';
import { estimateGasFee, findInAccount } from './account-findings.js';
import { readAccount } from './account-state.js';
import type { Finding, FindingCode } from '../finding.js';
import { withSignal, type ReadOptions } from '../read.js';
import { limitReads, type NewestBlock } from '../wallet/node.js';
import { findRoute, findToken, isCoin, makeFinding, type PlannedTransfer } from './planned-transfer.js';
import { assertQuoted, findDust, findInQuote, findOutOfBounds, type PlannedAmount } from './quote-findings.js';
import { findInPayee, findInRecipient, findInWarnings } from './recipient-findings.js';

/** Options of a check. */
export interface CheckTerms extends ReadOptions {
  /** Maximum fee as a share of the amount, in basis points (100 is 1 %). Default: no limit. */
  readonly maxFeeShareBps?: number | undefined;
  /** Maximum fee in atomic units, such as that of a quote shown to the user. Default: no limit. */
  readonly maxFee?: bigint | undefined;
  /** Maximum gas fee, in wei of the origin chain's coin. Default: 0.02 ETH or 50 XCN. */
  readonly maxGasFee?: bigint | undefined;
}

/** The result of a check with the values that it read. */
export interface CheckReport {
  /** Blocking findings first. */
  readonly findings: readonly Finding[];
  readonly config: ConfigResponse;
  /** Chain where the transfer begins, and chain of the wallet. */
  readonly expectedChainId: number;
  readonly actualChainId: number;
  /** Token on the origin chain. */
  readonly token: Token;
  /** In atomic units. */
  readonly amount: bigint;
  /** Null if the API quotes no fee for the amount; a finding then blocks. With dust, the quote is for the rest. */
  readonly quote: FeeQuoteResponse | null;
  /** Newest block of the wallet's node. Null if the wallet is on another chain; a finding then blocks. */
  readonly block: NewestBlock | null;
  /** Estimated maximum gas fee in wei, from the same node; 0 for contracts, whose gas another account pays. */
  readonly gasFee: bigint | null;
}

/** A report without a finding that counts. */
export interface PassedCheck extends CheckReport {
  readonly quote: FeeQuoteResponse;
  readonly block: NewestBlock;
  readonly gasFee: bigint;
}

const SEVERITIES = ['blocking', 'acceptable', 'note'] as const satisfies readonly Finding['severity'][];

/**
 * Checks a transfer before anything is signed: the bridge's configuration and quote, and the account, chain and balance
 * from the wallet's own node. It opens no window of the wallet.
 *
 * @throws InvalidInputError for a malformed argument; ApiError, UnreachableError, AnswerError of the bridge;
 *   WalletFailedError if the wallet's node does not answer; the reason of the signal.
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
  const { signal, onRetry, maxFeeShareBps, maxGasFee } = checked;
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
  const [config, early, state] = await withSignal(signal, async (both) => {
    const options = { signal: both, onRetry };
    return Promise.all([
      getConfig(bridge, options),
      // Atomic units require the decimals of the configuration.
      typeof transfer.amount === 'bigint' ? null : askQuote(transfer.amount, options),
      readAccount(limitReads(wallet, bridge, options)),
    ]);
  });
  const token = findToken(config, kind, asset);
  const amount = parseTokenAmount(token, transfer.amount);
  const planned = { token, amount, direction };
  const movable = amount - (amount % BigInt(token.granularity));
  const quoted = early ?? (movable > 0n ? await askQuote(formatTokenAmount(token, movable), checked) : null);
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
      : await findByLimits(bridge, planned, quoted, checked)),
  ];
  const expectedChainId = config[origin].chainId;
  return {
    findings: SEVERITIES.flatMap((severity) => found.filter((finding) => finding.severity === severity)),
    config,
    expectedChainId,
    actualChainId: state.chainId,
    token,
    amount,
    quote: isQuote(quoted) ? quoted : null,
    ...(state.chainId === expectedChainId
      ? { block: state.block, gasFee: estimateGasFee(account) }
      : { block: null, gasFee: null }),
  };
}

/**
 * Throws if findings block a transfer.
 *
 * @param accept codes of acceptable findings to ignore.
 * @throws WrongNetworkError if the wallet is on another chain; CheckError with all findings that count.
 */
export function assertPasses(report: CheckReport, accept: readonly FindingCode[] = []): asserts report is PassedCheck {
  const stopping = report.findings.filter(
    ({ code, severity }) => severity === 'blocking' || (severity === 'acceptable' && !accept.includes(code)),
  );
  const { expectedChainId, actualChainId } = report;
  if (actualChainId !== expectedChainId) throw new WrongNetworkError(expectedChainId, actualChainId);
  if (stopping.length > 0) throw new CheckError(stopping);
}

const NO_WALLET_TO_PAY = makeFinding('PAUSED', 'direction', {
  passes: true,
  message: 'The bridge names no relayer wallet at present, so no intent can be paid.',
  nextStep: 'Try again later.',
});

const isQuote = (quoted: FeeQuoteResponse | ApiError | null): quoted is FeeQuoteResponse =>
  quoted !== null && !(quoted instanceof ApiError);

/** Reads a quote, or the refusal of an amount or an asset. */
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
  const isPaused = quote.undeliverableReason === 'PAUSED';
  // Without it only the name of a halted chain is missing.
  const health = isPaused ? await getHealth(bridge, checked).catch(() => null) : null;
  checked.signal?.throwIfAborted();
  const warnings = (quote.warnings ?? []).filter(
    // The wallet's node has shown the coin balance, and the configuration has named the recipient.
    ({ field }) => !(field === 'sender' && isCoin(token)) && !(field === 'recipient' && hasRecipientFinding),
  );
  return [...findInQuote(token, quote, health, checked), ...findInWarnings(warnings)];
}

/** Uses the limits, whose values a refusal lacks. */
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
