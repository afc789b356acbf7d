import { assertPasses, checkTransfer } from '../check/check.js';
import { assertUnchanged } from '../wallet/ask.js';
import type { TransferContext } from './context.js';

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
