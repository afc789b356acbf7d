import { parseUnits } from 'viem';
import { BridgeError } from '../errors/bridge-error.js';
import { assetInfo, type Asset } from './asset.js';
import { atomic, type Atomic } from './atomic.js';

const PLAIN_DECIMAL = /^(0|[1-9]\d{0,77})(\.(\d+))?$/;

/**
 * Reads an amount as a person writes it: digits with at most one point, no sign, no exponent, no separators, and no more
 * digits after the point than the asset has (18 for ETH, 6 for USDC, 8 for XCN).
 *
 * @throws BridgeError VALIDATION_ERROR (field `amount`).
 * @example
 * ```ts
 * parseAmount('USDC', '12.5'); // 12_500_000n
 * ```
 */
export function parseAmount<A extends Asset>(asset: A, text: string): Atomic<A> {
  const match = PLAIN_DECIMAL.exec(text);
  if (match === null)
    throw refuse(`amount must be a plain decimal such as 12.5, not ${JSON.stringify(text.slice(0, 40))}`);
  const { decimals, displayDecimals } = assetInfo(asset);
  if ((match[3] ?? '').length > displayDecimals) {
    throw refuse(`amount has more digits after the point than ${asset} has (${displayDecimals})`);
  }
  return atomic(asset, parseUnits(text, decimals));
}

function refuse(message: string): BridgeError {
  return new BridgeError('VALIDATION_ERROR', message, { field: 'amount' });
}
