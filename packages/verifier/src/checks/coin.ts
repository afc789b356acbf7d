import { bridgeMintAbi } from '@causeway/contracts/abi';
import type { Hex } from 'viem';
import { COIN } from '../settings.js';
import { refuse } from '../verdict.js';
import type { FinalHeaders, Verifier } from '../verifier.js';
import { readContract } from './contract-reads.js';

/** An intent, and all that its release takes out of Ethereum. */
export interface CoinPayment {
  readonly id: Hex;
  readonly amount: bigint;
}

/**
 * Refuses the release of an intent when the coin is not with the bridge any more that this and all intents so far
 * brought. Intents are paid to the relayer wallet: its key could send the same coin out, and have it come in again for
 * another intent.
 *
 * The float and the wallets must hold what others added, all numbered withdrawals that began, and all released intents,
 * less all mints. Releases count that are signed and not yet final.
 */
export async function checkCoin(verifier: Verifier, { id, amount }: CoinPayment, finals: FinalHeaders): Promise<void> {
  const asset = verifier.settings.assets.find(({ tokens }) => tokens.partner === COIN);
  if (asset === undefined) return refuse('WRONG_TOKEN', 'The settings have no native coin of the partner chain.');
  const partner = await verifier.histories.partner.at(finals.partner.number);
  const ethereum = await verifier.histories.ethereum.at(finals.ethereum.number);
  const signed = await verifier.record.findLive('ethereum', asset.symbol, finals.ethereum.timestamp);
  const isIntent = (released: Hex) => !partner.hasWithdrawal(released);
  const live = signed.filter(
    (payment) => payment.id !== id && isIntent(payment.id) && ethereum.findPaid(payment.id).length === 0,
  );
  const intents = live.reduce((sum, payment) => sum + payment.amount, ethereum.sumCoin(isIntent));
  const owed = partner.added + partner.withdrawn + intents + amount - partner.sumCoin();
  const held = await readHeld(verifier, partner.wallets, finals);
  if (held < owed) refuse('COIN_SHORT', `Float and wallets hold ${held} of ${owed}.`);
}

async function readHeld(
  { readers, settings }: Verifier,
  wallets: readonly Hex[],
  { partner }: FinalHeaders,
): Promise<bigint> {
  const float = (await readContract(readers.partner, {
    blockHash: partner.hash,
    address: settings.partner.contract,
    abi: bridgeMintAbi,
    functionName: 'float',
    args: [],
  })) as bigint;
  const balances = await Promise.all(
    [...new Set(wallets)].map(async (wallet) => readers.partner.balance(partner.hash, wallet)),
  );
  return balances.reduce((sum, balance) => sum + balance, float);
}
