import { bridgedTokenAbi, bridgeLockAbi } from '@causeway/contracts/abi';
import type { Address } from 'viem';
import { COIN, type AssetSettings } from '../settings.js';
import { refuse } from '../verdict.js';
import type { FinalHeaders, Verifier } from '../verifier.js';
import { readContract } from './contract-reads.js';
import { readWallets } from './payment.js';

/** Refuses a mint that the collateral on Ethereum does not cover together with the supply, at one pair of blocks. */
export async function checkCollateral(
  verifier: Verifier,
  asset: AssetSettings,
  amount: bigint,
  finals: FinalHeaders,
): Promise<void> {
  const locked = await readLocked(verifier, asset, finals);
  const owed = await readOwed(verifier, asset, finals);
  if (locked < owed + amount)
    refuse('COLLATERAL_SHORT', `${locked} of ${asset.symbol} cover ${owed}, but not ${amount} more.`);
}

/** The amount that BridgeLock holds for users. */
export async function readLocked(
  { readers, settings }: Verifier,
  asset: AssetSettings,
  finals: FinalHeaders,
): Promise<bigint> {
  const locked = await readContract(readers.ethereum, {
    blockHash: finals.ethereum.hash,
    address: settings.ethereum.contract,
    abi: bridgeLockAbi,
    functionName: 'locked',
    args: [asset.tokens.ethereum],
  });
  return locked as bigint;
}

/**
 * The amount that holders on the partner chain can still withdraw. For a token: its supply less what was handed in to
 * relayer wallets. For native XCN, which has no supply: all its mints less all its releases.
 */
async function readOwed(verifier: Verifier, { tokens }: AssetSettings, finals: FinalHeaders): Promise<bigint> {
  if (tokens.partner === COIN) {
    const minted = await verifier.histories.partner.at(finals.partner.number);
    const released = await verifier.histories.ethereum.at(finals.ethereum.number);
    return minted.sum('Mint', tokens.partner) - released.sum('Release', tokens.ethereum);
  }
  const { supply, held } = await readTokenSupply(verifier, tokens.partner, finals);
  return supply - held;
}

/** The supply of a token on the partner chain, and the part of it that was handed in to relayer wallets. */
export async function readTokenSupply(
  verifier: Verifier,
  token: Address,
  finals: FinalHeaders,
): Promise<{ readonly supply: bigint; readonly held: bigint }> {
  const ask = async (functionName: string, args: readonly unknown[]) =>
    readContract(verifier.readers.partner, {
      blockHash: finals.partner.hash,
      address: token,
      abi: bridgedTokenAbi,
      functionName,
      args,
    });
  const supply = (await ask('totalSupply', [])) as bigint;
  const wallets = await readWallets(verifier, finals.partner.number);
  const handedIn = await Promise.all(wallets.map(async (wallet) => (await ask('handedIn', [wallet])) as bigint));
  return { supply, held: handedIn.reduce((sum, held) => sum + held, 0n) };
}
