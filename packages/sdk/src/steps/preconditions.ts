import { relayerAbi } from '@causeway/protocol/abi';
import { decodeFunctionResult, encodeFunctionData, isAddressEqual } from 'viem';
import { getStatus } from '../api/operation.js';
import { assertPasses, checkTransfer } from '../check/check.js';
import { findInPayee } from '../check/recipient-findings.js';
import { CheckError, IntentUnpayableError, RecordError } from '../errors.js';
import { assertUnchanged } from '../wallet/ask.js';
import { openTrustedNode, readCall, readNewestBlock } from '../wallet/node.js';
import { findStep } from './call.js';
import type { TransferContext } from './context.js';

/** Time for a payment to be mined. */
const MARGIN_MS = 60_000;

/**
 * Verifies, before a window opens, that the wallet uses the chain and account of the transfer. It rechecks a resumed
 * transfer, because the bridge may have paused, reached a limit or raised its fee since.
 *
 * @throws WrongNetworkError, WrongAccountError, CheckError
 */
export async function assertReady({ bridge, wallet, journal, options, isResumed }: TransferContext): Promise<void> {
  const { kind, asset, amount, maxFee, recipient, chainId, sender } = journal.record;
  await assertUnchanged(wallet, chainId, sender);
  // A claim does not cross the bridge.
  if (!isResumed || kind === 'CLAIM') return;
  const transfer = { kind, asset, amount: BigInt(amount), recipient };
  const report = await checkTransfer(bridge, wallet, transfer, { maxFee: BigInt(maxFee), ...options });
  assertPasses(report, options.accept);
}

/**
 * Verifies that an intent can be paid now: the API still names the relayer wallet of the registration, BridgeMint names
 * it too, read from a node that the API has not named, and the payment window is open by this machine's clock and by
 * the chain's.
 *
 * @throws IntentUnpayableError; CheckError without such a node.
 */
export async function assertPayable({ bridge, wallet, journal, options }: TransferContext): Promise<void> {
  const { record } = journal;
  const { intentId, relayerWallet, expiresAt } = findStep(record, 'register') ?? {};
  const signed = findStep(record, 'sign');
  if (intentId === undefined || relayerWallet === undefined || expiresAt === undefined || signed === undefined)
    throw new RecordError('steps.1', 'is not registered');
  const unproven = findInPayee(bridge).filter(({ severity }) => severity === 'blocking');
  if (unproven.length > 0) throw new CheckError(unproven);
  const abi = relayerAbi;
  const [status, block, relayer] = await Promise.all([
    getStatus(bridge, { intentId }, options),
    readNewestBlock(wallet),
    readCall(
      openTrustedNode(bridge, options) ?? wallet,
      record.contract,
      encodeFunctionData({ abi, functionName: 'relayer' }),
    ),
  ]);
  const now = Math.max(Date.now(), Number(block.timestamp) * 1_000);
  if (
    status.unpayableReason === 'WINDOW_CLOSED' ||
    status.status === 'EXPIRED' ||
    now + MARGIN_MS > Math.min(Date.parse(expiresAt), signed.deadline * 1_000)
  )
    throw new IntentUnpayableError('EXPIRED', `The window of intent ${intentId} has closed, or closes within a minute`);
  const current = decodeFunctionResult({ abi, functionName: 'relayer', data: relayer });
  const isReplaced = status.unpayableReason === 'WALLET_REPLACED' || !isAddressEqual(current, relayerWallet);
  if (isReplaced) throw new IntentUnpayableError('WALLET_REPLACED', `The wallet of intent ${intentId} was replaced`);
  const { relayerWalletAddress } = status;
  if (relayerWalletAddress === null || !isAddressEqual(relayerWalletAddress, relayerWallet))
    throw new IntentUnpayableError('NOT_CONFIRMED', `The bridge does not confirm the wallet of intent ${intentId} now`);
}
