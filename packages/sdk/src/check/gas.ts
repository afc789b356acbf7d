import { CALL_GAS } from '@causeway/protocol';
import type { CheckedKind } from './planned-transfer.js';

/** A plain transfer with the id of its intent as data. */
const PAYMENT_GAS = 60_000n;

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
      return isCoin ? CALL_GAS.depositNative : CALL_GAS.approve + CALL_GAS.deposit;
    case 'BURN':
      return CALL_GAS.burn;
    case 'WITHDRAW_NATIVE':
      return CALL_GAS.withdrawNative;
    case 'INTENT':
      return PAYMENT_GAS;
  }
}
