import { bridgeLockAbi } from '@causeway/contracts/abi';
import type { Hex } from 'viem';
import type { Header } from '../blocks/header.js';
import { readLocked, readTokenSupply } from '../checks/collateral.js';
import { readContract } from '../checks/contract-reads.js';
import type { Side } from '../nodes/finality.js';
import { COIN, type AssetSettings } from '../settings.js';
import type { FinalHeaders, Verifier } from '../verifier.js';
import type { AssetReserves, ReservesStatement } from './statement.js';

/** The blocks of a pair cannot belong together, or the chains have others. */
export class WrongPairError extends Error {
  override readonly name = 'WrongPairError';
}

/**
 * Reads the headers of a statement's blocks.
 *
 * @throws NoQuorumError
 * @throws WrongPairError when a block is not final, or the chain has another one.
 */
export async function readFinalPair(
  { readers }: Verifier,
  named: Pick<ReservesStatement, 'ethereumBlock' | 'ethereumHash' | 'partnerBlock' | 'partnerHash'>,
  finals: Readonly<Record<Side, Pick<Header, 'number'>>>,
): Promise<FinalHeaders> {
  const read = async (side: Side, number: bigint, hash: Hex) => {
    if (number > finals[side].number) throw new WrongPairError(`Block ${number} of ${side} is not final.`);
    const header = await readers[side].headerAt(number);
    if (header.hash !== hash) throw new WrongPairError(`Block ${number} of ${side} is ${header.hash}.`);
    return header;
  };
  return {
    ethereum: await read('ethereum', named.ethereumBlock, named.ethereumHash),
    partner: await read('partner', named.partnerBlock, named.partnerHash),
  };
}

/**
 * Reads the reserves of all assets at a pair of final blocks: the contracts' states by view calls, and what is in
 * flight by the sums of their events.
 *
 * @throws NoQuorumError
 * @throws WrongPairError when more is delivered than begun up to these blocks.
 */
export async function readReserves(verifier: Verifier, pair: FinalHeaders): Promise<readonly AssetReserves[]> {
  const assets = verifier.settings.assets.toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1));
  return Promise.all(assets.map(async (asset) => readAsset(verifier, asset, pair)));
}

async function readAsset(verifier: Verifier, asset: AssetSettings, pair: FinalHeaders): Promise<AssetReserves> {
  const { symbol, tokens } = asset;
  const [ethereum, partner] = await Promise.all([
    verifier.histories.ethereum.at(pair.ethereum.number),
    verifier.histories.partner.at(pair.partner.number),
  ]);
  const withdrawn = partner.sum('Withdraw', tokens.partner);
  const released = ethereum.sum('Release', tokens.ethereum);
  // Only native XCN is also withdrawn by intents.
  const isCoin = tokens.partner === COIN;
  const numbered = isCoin ? ethereum.sumPaid(tokens.ethereum, partner.hasWithdrawn) : released;
  const minted = partner.sum('Mint', tokens.partner);
  const toPartner = ethereum.sum('Deposit', tokens.ethereum) - minted;
  const toEthereum = withdrawn - numbered;
  if (toPartner < 0n || toEthereum < 0n)
    throw new WrongPairError(`Up to these blocks, more ${symbol} is delivered than begun.`);
  const { supply, held } = isCoin
    ? { supply: minted - withdrawn - (released - numbered), held: 0n }
    : await readTokenSupply(verifier, tokens.partner, pair);
  const locked = await readLocked(verifier, asset, pair);
  const fees = await readContract(verifier.readers.ethereum, {
    blockHash: pair.ethereum.hash,
    address: verifier.settings.ethereum.contract,
    abi: bridgeLockAbi,
    functionName: 'feesAccrued',
    args: [tokens.ethereum],
  });
  const inFlight = toPartner + toEthereum;
  return withoutNegative({ asset: symbol, locked, supply, held, inFlight, fees: fees as bigint });
}

/**
 * Native XCN also exists without the bridge, so more can be withdrawn than was minted. The statement has that surplus
 * as held, since the bridge has received it, and 0 as the supply.
 */
export function withoutNegative(reserves: AssetReserves): AssetReserves {
  const { supply, held } = reserves;
  return supply < 0n ? { ...reserves, supply: 0n, held: held - supply } : reserves;
}
