import type { Bridge } from '../bridge.js';
import { InvalidInputError } from '../errors.js';
import type { Wallet } from '../wallet/wallet.js';
import { beginTransfer } from './begin.js';
import type { TransferOptions, TransferTerms } from '../steps/options.js';
import { pickRandom } from './plan.js';
import type { Step } from '../record/record.js';
import type { SentTransfer } from '../record/result.js';
import { chooseDeadline } from '../steps/sign.js';

const TRANSFER: Step = { step: 'send', what: 'transfer', state: 'planned' };

/**
 * Burns a bridged token on the partner chain, released on Ethereum after the hold. It accepts at most the quoted fee.
 *
 * @param wallet on the partner chain.
 * @throws As `deposit`.
 */
export async function burn(
  bridge: Bridge,
  wallet: Wallet,
  terms: TransferTerms,
  options: TransferOptions = {},
): Promise<SentTransfer> {
  if (terms.asset === 'XCN') throw new InvalidInputError('asset', 'is the coin of the partner chain: use withdrawXcn');
  return beginTransfer(bridge, wallet, 'BURN', terms, options, () => [TRANSFER]);
}

/** Terms of an XCN withdrawal. */
export type XcnTerms = Omit<TransferTerms, 'asset'>;

/**
 * Withdraws XCN from the partner chain to Ethereum with one call of BridgeMint.
 *
 * @param wallet on the partner chain.
 * @throws As `deposit`.
 */
export async function withdrawXcn(
  bridge: Bridge,
  wallet: Wallet,
  terms: XcnTerms,
  options: TransferOptions = {},
): Promise<SentTransfer> {
  return beginTransfer(bridge, wallet, 'WITHDRAW_NATIVE', { ...terms, asset: 'XCN' }, options, () => [TRANSFER]);
}

/**
 * Withdraws XCN by a signed intent and a plain transfer to the relayer wallet, for wallets that cannot call contracts.
 *
 * @param wallet on the partner chain.
 * @throws As `deposit`.
 */
export async function withdrawXcnByIntent(
  bridge: Bridge,
  wallet: Wallet,
  terms: XcnTerms,
  options: TransferOptions = {},
): Promise<SentTransfer> {
  return beginTransfer(bridge, wallet, 'INTENT', { ...terms, asset: 'XCN' }, options, ({ config, block }) => [
    {
      step: 'sign',
      what: 'intent',
      state: 'planned',
      domain: { name: config.intent.domain.name, version: config.intent.domain.version },
      nonce: pickRandom(),
      deadline: chooseDeadline(block),
    },
    { step: 'register', state: 'planned' },
    { step: 'send', what: 'payment', state: 'planned' },
    { step: 'bind', state: 'planned' },
  ]);
}
