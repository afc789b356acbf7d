import { relayerAbi } from '@causeway/protocol/abi';
import { decodeFunctionResult, encodeFunctionData, isAddressEqual } from 'viem';
import { getStatus } from '../api/operation.js';
import { findInPayee } from '../check/recipient-findings.js';
import { CheckError, IntentUnpayableError, RecordError } from '../errors.js';
import { openTrustedNode, readCall, readNewestBlock } from '../wallet/node.js';
import { findStep } from './call.js';
import type { TransferContext } from './context.js';

/** Time for a payment to be mined. */
const MARGIN_MS = 60_000;

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
