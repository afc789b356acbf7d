import { CALL_GAS, getCoin, type Side } from '@causeway/protocol';
import { describeAmount } from '../amount.js';
import type { Finding } from '../finding.js';
import { makeFinding, type CheckedKind } from './planned-transfer.js';

/** Default maximum gas fee of a transfer, in wei: 0.02 ETH, 50 XCN. */
export const MAX_GAS_FEE: Readonly<Record<Side, bigint>> = {
  ethereum: 20_000_000_000_000_000n,
  partner: 50_000_000_000_000_000_000n,
};

/** Gas of a plain transfer with an intent id as data. */
const PAYMENT_GAS = 60_000n;

/** An upper bound of usual tips, in wei. */
const TIP = 1_000_000_000n;

/** Estimates the maximum gas price of the next minutes, in wei: the base fee can double in six blocks. */
export function boundGasPrice(baseFee: bigint): bigint {
  return 2n * baseFee + TIP;
}

/** Sums the gas of all transactions of a transfer. A token deposit may need an approval first. */
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

/** The coin in which a side takes gas fees. */
export const getUnit = (side: Side) => ({ token: getCoin(side), decimals: 18, granularity: '1' });

/** A gas fee requested by a node. `fee` and `maxGasFee` in wei of the side's coin. */
interface AskedGas {
  readonly side: Side;
  readonly fee: bigint;
  readonly maxGasFee: bigint | undefined;
}

/** Finds a gas fee above the caller's maximum. Pure. */
export function findInGas({ side, fee, maxGasFee = MAX_GAS_FEE[side] }: AskedGas): Finding[] {
  if (fee <= maxGasFee) return [];
  const coin = getUnit(side);
  const [asked, accepted] = [describeAmount(coin, fee, 'up'), describeAmount(coin, maxGasFee, 'down')];
  return [
    makeFinding('GAS_TOO_HIGH', 'maxGasFee', {
      passes: true,
      message: `The node asks for up to ${asked} for gas, and at most ${accepted} are accepted.`,
      nextStep: 'Wait until gas is cheaper, or allow a higher fee for gas.',
    }),
  ];
}
