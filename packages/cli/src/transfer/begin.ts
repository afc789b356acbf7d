import type { Side } from '@causeway/protocol';
import {
  assertPasses,
  checkTransfer,
  getConfig,
  type Bridge,
  type Finding,
  type PassedCheck,
  type SentTransfer,
  type TransferOptions,
  type Wallet,
} from '@causeway/sdk';
import type { Address } from 'viem';
import type { Context } from '../command.js';
import type { Exit } from '../output/exit-codes.js';
import { translate } from '../output/failure.js';
import { describeChain, describeFee, describeGas, describeSeconds } from '../output/words.js';
import { connect } from '../settings/connection.js';
import { assertMaySend, confirm, willAsk } from './consent.js';
import { parseAccepted, parseFeeShare, parseGasFee, type BeginOptions } from './options.js';
import { runTransfer } from './run.js';
import { openWallet } from './wallet.js';

/** A transfer to begin, and the SDK's function that runs it. */
export interface Beginning {
  readonly kind: 'DEPOSIT' | 'BURN' | 'WITHDRAW_NATIVE' | 'INTENT';
  readonly asset: string;
  readonly amount: string;
  readonly send: (
    bridge: Bridge,
    wallet: Wallet,
    terms: { readonly asset: string; readonly amount: string; readonly recipient: Address },
    options: TransferOptions,
  ) => Promise<SentTransfer>;
}

/** Checks a transfer, shows its terms, asks, and sends it. */
export async function beginTransfer(context: Context, options: BeginOptions, beginning: Beginning): Promise<Exit> {
  assertMaySend(context, options);
  const { reads } = context;
  const maxFeeShareBps = parseFeeShare(options.maxFeeShare);
  const named = parseAccepted(options.accept);
  const { kind, amount } = beginning;
  const origin = kind === 'DEPOSIT' ? 'ethereum' : 'partner';
  const maxGasFee = parseGasFee(options.maxGasFee, origin);
  const bridge = await connect(context);
  const asset = beginning.asset.toUpperCase();
  const wallet = await openWallet(context, bridge, await getConfig(bridge, reads), origin, options);
  const recipient = (options.recipient ?? wallet.account) as Address;
  const bounds = { maxGasFee, ...(maxFeeShareBps === undefined ? {} : { maxFeeShareBps }) };
  const report = await checkTransfer(bridge, wallet, { kind, asset, amount, recipient }, { ...reads, ...bounds });
  const { findings } = report;
  // A person who confirms after seeing the findings accepts them.
  const acceptable = findings.filter(({ severity }) => severity === 'acceptable').map(({ code }) => code);
  const accept = willAsk(context, options) ? acceptable : named;
  assertPasses(report, accept);
  await showTerms(context, report, { asset, origin, sender: wallet.account, recipient, maxGasFee });
  await confirm(context, options, 'Send?');
  const terms = { asset, amount, recipient };
  return runTransfer(context, { ...options, bridge }, async (shared) =>
    // The SDK gets its own quote; maxFee holds it to the fee shown above.
    beginning.send(bridge, wallet, terms, { ...shared, ...bounds, accept, maxFee: BigInt(report.quote.feeAmount) }),
  );
}

interface Parties {
  readonly asset: string;
  readonly maxGasFee: bigint;
  readonly origin: Side;
  readonly sender: Address;
  readonly recipient: Address;
}

async function showTerms({ printer }: Context, report: PassedCheck, parties: Parties): Promise<void> {
  const { asset, origin, sender, recipient, maxGasFee } = parties;
  const { config, quote, findings, gasFee } = report;
  const destination = origin === 'ethereum' ? 'partner' : 'ethereum';
  printer.event({ event: 'terms', sender, recipient, quote, gasFee, maxGasFee, findings });
  const isOther = sender.toLowerCase() !== recipient.toLowerCase();
  await printer.notice(
    {
      rows: [
        ['Amount', `${quote.inputAmountFormatted} ${asset}`],
        ['Fee', quote.feeAmount === '0' ? 'none' : `at most ${describeFee(quote, asset)}`],
        ['Output', `${quote.outputAmountFormatted} ${asset}`],
        ['Gas', describeGas(origin, maxGasFee, gasFee)],
        ['Sender', `${sender} on ${describeChain(config, origin)}`],
        ['Recipient', `${recipient} on ${describeChain(config, destination)}${isOther ? ', not the sender' : ''}`],
        ['Time', describeSeconds(quote.estimatedSeconds)],
      ],
    },
    ...findings.map((finding) => ({ text: describeFinding(finding), tone: 'warning' }) as const),
  );
}

function describeFinding({ code, message, nextStep }: Finding): string {
  return translate(`! ${code}: ${message} ${nextStep}`);
}
