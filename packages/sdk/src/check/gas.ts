import { CALL_GAS, getCoin, type Side } from '@causeway/protocol';
import { formatEther } from 'viem';
import type { Finding } from '../finding.js';
import { makeFinding, type CheckedKind } from './planned-transfer.js';

/** The highest fee for the gas of a transfer, in wei, unless the caller sets another one: 0.02 ETH, 50 XCN. */
export const MAX_GAS_FEE: Readonly<Record<Side, bigint>> = {
  ethereum: 20_000_000_000_000_000n,
  partner: 50_000_000_000_000_000_000n,
};

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

/** Gas that a node asks a key for. `fee` and `maxGasFee` in wei of the coin of the side. */
interface AskedGas {
  readonly side: Side;
  readonly fee: bigint;
  readonly maxGasFee: bigint | undefined;
}

/** Finds a fee for gas above the highest one that the caller accepts. Pure. */
export function findInGas({ side, fee, maxGasFee = MAX_GAS_FEE[side] }: AskedGas): Finding[] {
  if (fee <= maxGasFee) return [];
  const write = (wei: bigint) => `${formatEther(wei)} ${getCoin(side)}`;
  return [
    makeFinding('GAS_TOO_HIGH', 'maxGasFee', {
      passes: true,
      message: `The node asks for up to ${write(fee)} for gas, and at most ${write(maxGasFee)} are accepted.`,
      nextStep: 'Wait until gas is cheaper, ask another node, or choose a higher maxGasFee.',
    }),
  ];
}
