import { claimableAbi } from '@causeway/protocol/abi';
import { decodeFunctionResult, encodeFunctionData, type Address } from 'viem';
import { parseAccount } from '../account.js';
import { getConfig } from '../api/config.js';
import type { Bridge } from '../bridge.js';
import { ContractError } from '../errors.js';
import { assertWallet } from '../wallet/ask.js';
import { limitReads, readCall, readNewestBlock } from '../wallet/node.js';
import type { Wallet } from '../wallet/wallet.js';
import { freshContext } from './begin.js';
import { Journal } from '../record/journal.js';
import type { TransferOptions } from '../steps/options.js';
import { findPlace, planTransfer } from './plan.js';
import type { SentTransfer } from '../record/result.js';
import { runTransfer } from './run.js';

/** A credit to claim: a delivery that its recipient rejected. */
export interface ClaimTerms {
  readonly asset: string;
  /** Side of the credit. */
  readonly side: 'ethereum' | 'partner';
  /** The receiving account on that side. */
  readonly recipient: Address;
}

/**
 * Claims the whole credit of the wallet's account.
 *
 * @param wallet on the chain of the credit, with the credited account.
 * @throws ContractError NothingToPay without a credit, and as `deposit`.
 */
export async function claim(
  bridge: Bridge,
  wallet: Wallet,
  terms: ClaimTerms,
  options: TransferOptions = {},
): Promise<SentTransfer> {
  const limited = limitReads(wallet, bridge, options);
  const { asset, side } = terms;
  const recipient = parseAccount('recipient', terms.recipient);
  const config = await getConfig(bridge, options);
  const place = findPlace(config, side, asset);
  const sender = wallet.account;
  await assertWallet(limited, place.chainId, sender);
  const args = [place.token, sender] as const;
  const data = encodeFunctionData({ abi: claimableAbi, functionName: 'claimable', args });
  const [block, credit] = await Promise.all([readNewestBlock(limited), readCall(limited, place.contract, data)]);
  const amount = decodeFunctionResult({ abi: claimableAbi, functionName: 'claimable', data: credit });
  if (amount === 0n)
    throw new ContractError('NothingToPay', `${sender} has no credit of ${asset}`, {
      field: 'asset',
      nextStep: 'There is nothing left to claim.',
    });
  const fromBlock = block.number;
  const planned = { kind: 'CLAIM', asset, amount, maxFee: 0n, sender, recipient, fromBlock } as const;
  const record = planTransfer(config, place, planned, [{ step: 'send', what: 'transfer', state: 'planned' }]);
  return runTransfer(freshContext(bridge, limited, config, new Journal(record, options), options));
}
