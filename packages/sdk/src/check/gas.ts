import type { CheckedKind } from './planned-transfer.js';

/** Gas limits of the calls of a transfer: at least half more than the most that each took. */
export const GAS_LIMITS = {
  approval: 100_000n,
  deposit: 150_000n,
  depositNative: 60_000n,
  burn: 110_000n,
  withdrawNative: 60_000n,
  /** A plain transfer with the id of its intent as data. */
  payment: 60_000n,
} as const;

/** Tips are rarely higher, in wei. */
const TIP = 1_000_000_000n;

/** The highest price of gas that is likely for the next minutes, in wei: the base fee may double in six blocks. */
export function boundGasPrice(baseFee: bigint): bigint {
  return 2n * baseFee + TIP;
}

/** The gas of all transactions of a transfer. A deposit of a token may need an approval first. */
export function sumGasLimits(kind: CheckedKind, isCoin: boolean): bigint {
  switch (kind) {
    case 'DEPOSIT':
      return isCoin ? GAS_LIMITS.depositNative : GAS_LIMITS.approval + GAS_LIMITS.deposit;
    case 'BURN':
      return GAS_LIMITS.burn;
    case 'WITHDRAW_NATIVE':
      return GAS_LIMITS.withdrawNative;
    case 'INTENT':
      return GAS_LIMITS.payment;
  }
}
