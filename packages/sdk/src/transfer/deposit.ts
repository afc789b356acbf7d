import type { SignedDeposit } from '@causeway/protocol';
import { formatUnits, isAddressEqual } from 'viem';
import { getConfig } from '../api/config.js';
import { postTransactions } from '../api/intents.js';
import type { Bridge } from '../bridge.js';
import { AnswerError } from '../errors.js';
import type { ReadOptions } from '../read.js';
import { limitReads } from '../wallet/node.js';
import type { Wallet } from '../wallet/wallet.js';
import { sendsBatches } from '../steps/batch.js';
import { beginTransfer, type CheckedTransfer } from './begin.js';
import type { TransferOptions, TransferTerms } from '../steps/options.js';
import { findPlace, isCoin, pickRandom } from './plan.js';
import type { Step } from '../record/record.js';
import type { SentTransfer } from '../record/result.js';

/**
 * Deposits an asset from Ethereum to the partner chain. ETH needs one transaction. A token with ERC-3009 or permits
 * needs a signature and one transaction; any other token an approval of exactly the amount and a deposit, in one batch
 * if the wallet supports batches.
 *
 * @param wallet on Ethereum.
 * @returns when the transaction is mined. Follow the transfer with `watchOperation`.
 * @throws CausewayErrorType; the reason of the signal. If a record was saved, `resume` continues.
 * @example
 * ```ts
 * const { originTxHash } = await deposit(bridge, wallet, { asset: 'ETH', amount: '0.5', recipient });
 * ```
 */
export async function deposit(
  bridge: Bridge,
  wallet: Wallet,
  terms: TransferTerms,
  options: TransferOptions = {},
): Promise<SentTransfer> {
  return beginTransfer(bridge, wallet, 'DEPOSIT', terms, options, async (checked) =>
    planSteps(bridge, checked, options),
  );
}

/**
 * Plans the steps of a deposit, so that a page can name the next signature. It opens no window of the wallet.
 *
 * @param terms with the amount in atomic units.
 * @throws As `getConfig`.
 */
export async function planDeposit(
  bridge: Bridge,
  wallet: Wallet,
  { asset, amount, recipient }: TransferTerms & { readonly amount: bigint },
  options: ReadOptions = {},
): Promise<readonly Step[]> {
  const config = await getConfig(bridge, options);
  const place = findPlace(config, 'ethereum', asset);
  const terms = { asset, amount, sender: wallet.account, recipient };
  return planSteps(bridge, { wallet: limitReads(wallet, bridge, options), config, place, terms }, options);
}

const TRANSFER: Step = { step: 'send', what: 'transfer', state: 'planned' };

async function planSteps(
  bridge: Bridge,
  {
    wallet,
    config,
    place,
    terms,
  }: Pick<CheckedTransfer, 'wallet' | 'config' | 'place'> & {
    readonly terms: Pick<CheckedTransfer['terms'], 'asset' | 'amount' | 'sender' | 'recipient'>;
  },
  options: ReadOptions,
): Promise<readonly Step[]> {
  if (isCoin(place)) return [TRANSFER];
  const { asset, amount, sender, recipient } = terms;
  const decimals = config.ethereum.tokens.find(({ token }) => token === asset)?.decimals ?? 0;
  const { bySignature } = await postTransactions(
    bridge,
    {
      token: asset,
      amount: formatUnits(amount, decimals),
      direction: 'ETHEREUM_TO_PARTNER',
      senderAddress: sender,
      recipientAddress: recipient,
    },
    options,
  );
  const offered = ['ERC-3009', 'ERC-2612'].flatMap((standard) =>
    bySignature.filter((each) => each.standard === standard),
  );
  const [signed] = offered;
  if (signed !== undefined) return [planSignature(signed, place.token), TRANSFER];
  if (await sendsBatches(wallet, place.chainId)) return [{ step: 'batch', state: 'planned', callsId: pickRandom() }];
  return [{ step: 'send', what: 'approval', state: 'planned' }, TRANSFER];
}

/** Plans a signature. The API names the token's standard and domain; the signed terms are ours. */
function planSignature({ standard, typedData }: SignedDeposit, token: `0x${string}`): Step {
  const { name, version, verifyingContract } = typedData.domain;
  if (!isAddressEqual(verifyingContract, token))
    throw new AnswerError('bySignature.typedData.domain.verifyingContract', 'is another token');
  const common = { step: 'sign', state: 'planned', domain: { name, version }, deadline: 0 } as const;
  if (standard === 'ERC-3009') return { ...common, what: 'authorization', nonce: pickRandom() };
  const nonce = typedData.message['nonce'] ?? '';
  if (!/^\d{1,78}$/.test(nonce)) throw new AnswerError('bySignature.typedData.message.nonce', 'is not a whole number');
  return { ...common, what: 'permit', nonce };
}
