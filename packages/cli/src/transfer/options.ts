import type { Side } from '@causeway/protocol';
import { FINDING_CODES, MAX_GAS_FEE, type FindingCode } from '@causeway/sdk';
import type { Command } from 'commander';
import { parseEther } from 'viem';
import { UsageError } from '../errors.js';

/** The options of all commands that sign and send. */
export interface SendOptions {
  readonly keystore?: string;
  readonly passwordFile?: string;
  readonly keyStdin?: boolean;
  readonly maxGasFee?: string;
  readonly yes?: boolean;
  readonly records?: string;
}

/** The options of all commands that check a transfer and follow it. */
export interface CheckedOptions extends SendOptions {
  readonly accept?: string;
  readonly maxFeeShare?: string;
  readonly watch?: boolean;
}

/** The options of all commands that begin a transfer. */
export interface BeginOptions extends CheckedOptions {
  readonly recipient?: string;
}

/** Adds the options of a command that signs and sends. */
export function addSendOptions(command: Command): Command {
  return command
    .option(
      '--keystore <file>',
      'encrypted key in Web3 Secret Storage format (or set CAUSEWAY_PRIVATE_KEY to a plain key)',
    )
    .option('--password-file <file>', 'file with the password of the keystore (default: ask on the terminal)')
    .option('--key-stdin', 'read a plain key from standard input')
    .option('--max-gas-fee <coins>', 'highest fee for gas, in ETH or XCN (default: 0.02 ETH, 50 XCN)')
    .option('--yes', 'send without asking; required without a terminal')
    .option('--records <folder>', 'folder of the transfer records, for resume (default: $XDG_STATE_HOME/causeway)');
}

/** Adds the options of a command that checks a transfer and follows it. */
export function addCheckedOptions(command: Command): Command {
  return addSendOptions(command)
    .option('--accept <codes>', 'codes of findings to accept, separated by commas')
    .option('--max-fee-share <bps>', 'highest fee, in basis points of the amount')
    .option('--watch', 'wait until the transfer is delivered');
}

/** Adds the options of a command that begins a transfer. */
export function addBeginOptions(command: Command): Command {
  return addCheckedOptions(command).option('--recipient <address>', 'account to pay (default: the sender)');
}

/** @throws UsageError */
export function parseAccepted(text: string | undefined): readonly FindingCode[] {
  const codes = text === undefined ? [] : text.split(',').map((code) => code.trim());
  const unknown = codes.find((code) => !(FINDING_CODES as readonly string[]).includes(code));
  if (unknown !== undefined)
    throw new UsageError('accept', `has the unknown code ${unknown}`, `Use ${FINDING_CODES.join(', ')}.`);
  return codes as readonly FindingCode[];
}

/**
 * Parses the highest fee for gas on a chain, in wei.
 *
 * @throws UsageError
 */
export function parseGasFee(text: string | undefined, side: Side): bigint {
  if (text === undefined) return MAX_GAS_FEE[side];
  if (/^\d{1,9}(\.\d{1,18})?$/.test(text)) return parseEther(text);
  throw new UsageError('max-gas-fee', 'must be a plain decimal in ETH or XCN, such as 0.05');
}

/** @throws UsageError */
export function parseFeeShare(text: string | undefined): number | undefined {
  if (text !== undefined && !/^\d{1,5}$/.test(text))
    throw new UsageError('max-fee-share', 'must be a whole number of basis points, such as 100 for 1 %');
  return text === undefined ? undefined : Number(text);
}
