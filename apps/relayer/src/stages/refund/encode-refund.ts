import { assetInfo, getCoin, getToken, type AddressBook, type Asset, type Side } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { BarePayment, PayableRefund, Refund } from '@causeway/store';
import {
  concat,
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  isAddressEqual,
  size,
  slice,
  zeroAddress,
  type Address,
  type Hex,
} from 'viem';
import type { Attestation } from '../../exchange/attestation.js';

/** Gas of a transfer of ETH, as deducted from a refund. Fixed, so that no node can inflate it. */
const DEDUCTED_GAS = 21_000n;
/** Gas of 32 non-zero bytes of call data, for the id (EIP-7623). */
const ID_GAS = 1_280n;
/** Bytes of `transfer(address,uint256)` with its arguments. */
const TRANSFER_BYTES = 68;

/** The call that pays a refund. `value` in wei of the RPC. */
export interface RefundCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}

/** The payment of a plain transfer, and the refund id in its call data. */
export interface PaidByTransfer {
  readonly payment: BarePayment;
  readonly refundId: Hex | null;
}

/**
 * Computes the amounts of a refund: the transferred amount, rounded down to the unit of the chain, and for ETH on
 * Ethereum less the gas. Pure. The parts add up to the transferred amount. On the partner chain no gas is deducted, so
 * that every attester knows the amount.
 *
 * @param gasPrice the gas price of Ethereum, in wei.
 * @param takesData whether the recipient accepts call data with coin, as every account without code does.
 * @returns null when the gas costs more than half of the transferred amount, since such a payment would not be
 * recognized as this refund's.
 */
export function computePayment(
  { id: refundId, amount, asset }: Pick<Refund, 'id' | 'amount' | 'asset'>,
  recipient: Address,
  { side, gasPrice, takesData }: { readonly side: Side; readonly gasPrice: bigint; readonly takesData: boolean },
): PayableRefund | null {
  const granularity = side === 'partner' ? assetInfo(asset).granularity : 1n;
  const gas = DEDUCTED_GAS + (takesData ? ID_GAS : 0n);
  const gasFee = isLessGas(asset, side) ? gas * gasPrice : 0n;
  const dust = amount % granularity;
  const paidAmount = amount - gasFee - dust;
  const isPayable = paidAmount > 0n && isWholePayment({ amount, asset }, paidAmount, side);
  return isPayable ? { refundId, recipient, paidAmount, gasFee, dust } : null;
}

/** Whether the gas of the payment is deducted from the refund. */
function isLessGas(asset: Asset, side: Side): boolean {
  return side === 'ethereum' && asset === getCoin('ethereum');
}

/**
 * Whether an amount is the whole payment of a refund. For ETH the deducted gas price is unknown, so any deduction up to
 * half counts; an operator must check a larger one. Pure.
 */
export function isWholePayment({ amount, asset }: Pick<Refund, 'amount' | 'asset'>, paid: bigint, side: Side): boolean {
  if (isLessGas(asset, side)) return paid <= amount && 2n * paid >= amount;
  return paid === amount - (side === 'partner' ? amount % assetInfo(asset).granularity : 0n);
}

/**
 * Whether the current wallet can pay a refund. Coin that a former wallet received is still there: paying it from the
 * current wallet would give it away to the holder of the former key. BridgeMint can move bridged tokens out of former
 * wallets. Pure.
 */
export function isPayableBy(
  { asset, wallet }: Pick<Refund, 'asset' | 'wallet'>,
  side: Side,
  relayer: Address,
): boolean {
  return isAddressEqual(wallet, relayer) || (side === 'partner' && asset !== getCoin('partner'));
}

/**
 * Encodes the payment of a refund. On the partner chain BridgeMint pays it, once per id. On Ethereum, where only
 * mistaken transfers arrive, it is a transfer with the id after its call data, so that the chain shows the refund.
 * Pure.
 *
 * @param relayer the current wallet. Tokens that a former wallet received are paid from that wallet.
 * @param takesData whether the recipient accepts call data with coin.
 * @param attestation the attesters' consent for BridgeMint; NO_ATTESTATION while it requires none.
 */
export function encodeRefund(
  { asset, wallet }: Pick<Refund, 'asset' | 'wallet'>,
  { refundId, recipient, paidAmount }: PayableRefund,
  {
    book,
    side,
    relayer,
    takesData,
    attestation,
  }: {
    readonly book: AddressBook;
    readonly side: Side;
    readonly relayer: Address;
    readonly takesData: boolean;
    readonly attestation: Attestation;
  },
): RefundCall {
  const abi = bridgeMintAbi;
  const isCoin = asset === getCoin(side);
  if (side === 'ethereum') {
    if (isCoin) return { to: recipient, data: takesData ? refundId : '0x', value: paidAmount };
    const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient, paidAmount] });
    // A token ignores call data after the arguments.
    return { to: getToken(book, side, asset), data: concat([transfer, refundId]), value: 0n };
  }
  const to = book.partner.bridgeMint;
  if (isCoin) {
    const args = [refundId, recipient, attestation] as const;
    return { to, data: encodeFunctionData({ abi, functionName: 'refundNative', args }), value: paidAmount };
  }
  const token = getToken(book, side, asset);
  const data = isAddressEqual(wallet, relayer)
    ? encodeFunctionData({
        abi,
        functionName: 'refund',
        args: [refundId, token, recipient, paidAmount, attestation],
      })
    : encodeFunctionData({
        abi,
        functionName: 'refundOf',
        args: [refundId, wallet, token, recipient, paidAmount, attestation],
      });
  return { to, data, value: 0n };
}

/** Reads the payment of a mined plain transfer. Null for other and failed transactions. Pure. */
export function readTransfer({
  to,
  value,
  input,
  succeeded,
}: {
  readonly to: Address | null;
  readonly value: bigint;
  readonly input: Hex;
  readonly succeeded: boolean;
}): PaidByTransfer | null {
  if (!succeeded || to === null) return null;
  if (value > 0n) {
    if (size(input) !== 0 && size(input) !== 32) return null;
    const payment = { token: zeroAddress, recipient: to, amount: value };
    return { payment, refundId: size(input) === 32 ? input : null };
  }
  const idBytes = size(input) - TRANSFER_BYTES;
  if (idBytes !== 0 && idBytes !== 32) return null;
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: input });
    if (functionName !== 'transfer') return null;
    const [recipient, amount] = args;
    const refundId = idBytes === 32 ? slice(input, TRANSFER_BYTES) : null;
    return { payment: { token: to, recipient: recipient.toLowerCase() as Address, amount }, refundId };
  } catch {
    // Another function with the same length.
    return null;
  }
}
