import type { TransferRecord } from '@causeway/sdk';
import type { Settings } from '../settings/settings.js';
import { findSide } from '../wallet/chains.js';

const COIN = `0x${'0'.repeat(40)}`;

/** Returns whether a record is of the chains, contracts and tokens of the settings. Others have units of their own. */
export function isOfThisBridge(
  { environment, chainId, contract, asset, token }: TransferRecord,
  settings: Settings,
): boolean {
  const { addressBook } = settings;
  const side = findSide(settings, chainId);
  if (side === null || environment !== addressBook.environment) return false;
  const { ethereum, partner } = addressBook;
  const trusted = side === 'ethereum' ? ethereum.bridgeLock : partner.bridgeMint;
  const tokens = new Map<string, string>([
    [side === 'ethereum' ? 'ETH' : 'XCN', COIN],
    ...Object.entries(addressBook[side].tokens),
  ]);
  return trusted.toLowerCase() === contract.toLowerCase() && tokens.get(asset)?.toLowerCase() === token.toLowerCase();
}
