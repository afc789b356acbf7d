import { assetInfo, tokenOfAsset, type AddressBook, type Asset, type Side } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { PayableRefund, Refund } from '@causeway/store';
import { encodeFunctionData, erc20Abi, isAddressEqual, type Address, type Hex } from 'viem';

/**
 * Gas of a payment of native coin, by its chain, as it is deducted from the refund: the call of BridgeMint to an
 * account that exists (measured: 67,895), and a transfer on Ethereum. Fixed, so that no node can inflate it. A
 * recipient that does not exist yet costs the bridge more.
 */
const DEDUCTED_GAS = { partner: 70_000n, ethereum: 21_000n } as const;
/** While the contracts ask for no attesters, they ignore the attestation. */
const NO_ATTESTATION = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] } as const;

/** The native coin of a chain. It alone pays for its gas. */
const COIN = { partner: 'XCN', ethereum: 'ETH' } as const satisfies Readonly<Record<Side, Asset>>;

/** The call that pays a refund. `value` in wei of the RPC. */
export interface RefundCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}

/**
 * Computes what a refund pays: what arrived, less the gas if it is the coin of its chain, rounded down to the units of
 * the chain. Pure. The parts add up to what arrived.
 *
 * @param gasPrice of the chain, in wei.
 * @returns null when the gas costs as much as what arrived.
 */
export function paymentOf(
  { id: refundId, amount, asset }: Pick<Refund, 'id' | 'amount' | 'asset'>,
  recipient: Address,
  side: Side,
  gasPrice: bigint,
): PayableRefund | null {
  const granularity = side === 'partner' ? assetInfo(asset).granularity : 1n;
  const cost = asset === COIN[side] ? DEDUCTED_GAS[side] * gasPrice : 0n;
  // The partner chain charges whole units, rounded up.
  const gasFee = ((cost + granularity - 1n) / granularity) * granularity;
  if (gasFee >= amount) return null;
  const dust = (amount - gasFee) % granularity;
  const paidAmount = amount - gasFee - dust;
  return paidAmount === 0n ? null : { refundId, recipient, paidAmount, gasFee, dust };
}

/**
 * Whether the present wallet can pay a refund. Coin that a former wallet received is still there: to pay it from here
 * would be a gift to the one who holds that wallet's key. BridgeMint moves bridged tokens out of former wallets. Pure.
 */
export function isPayableBy(
  { asset, wallet }: Pick<Refund, 'asset' | 'wallet'>,
  side: Side,
  relayer: Address,
): boolean {
  return isAddressEqual(wallet, relayer) || (side === 'partner' && asset !== COIN.partner);
}

/**
 * Encodes the payment of a refund: on the partner chain by BridgeMint, which pays an id once; on Ethereum, where only
 * mistaken transfers arrive, as a transfer. Pure.
 *
 * @param relayer the present wallet. What a former one received in tokens is paid from there.
 */
export function encodeRefund(
  { asset, wallet }: Pick<Refund, 'asset' | 'wallet'>,
  { refundId, recipient, paidAmount }: PayableRefund,
  { book, side, relayer }: { readonly book: AddressBook; readonly side: Side; readonly relayer: Address },
): RefundCall {
  const abi = bridgeMintAbi;
  const isCoin = asset === COIN[side];
  if (side === 'ethereum') {
    if (isCoin) return { to: recipient, data: '0x', value: paidAmount };
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient, paidAmount] });
    return { to: tokenOfAsset(book, side, asset), data, value: 0n };
  }
  const to = book.partner.bridgeMint;
  if (isCoin) {
    const args = [refundId, recipient, NO_ATTESTATION] as const;
    return { to, data: encodeFunctionData({ abi, functionName: 'refundNative', args }), value: paidAmount };
  }
  const token = tokenOfAsset(book, side, asset);
  const data = isAddressEqual(wallet, relayer)
    ? encodeFunctionData({
        abi,
        functionName: 'refund',
        args: [refundId, token, recipient, paidAmount, NO_ATTESTATION],
      })
    : encodeFunctionData({
        abi,
        functionName: 'refundOf',
        args: [refundId, wallet, token, recipient, paidAmount, NO_ATTESTATION],
      });
  return { to, data, value: 0n };
}
