import { createTx } from '@ethereumjs/tx';
import { Address } from '@ethereumjs/util';
import { createCommon } from '../src/evm/common.js';
import { BASE_FEE_PER_GAS } from '../src/evm/fees.js';
import type { ChainTransaction } from '../src/evm/transaction.js';

const common = createCommon(8901);

/** The fields of a transaction for pool tests. */
export interface UnsignedDraft {
  readonly sender: number;
  readonly nonce: bigint;
  readonly tip: bigint;
  /** The cap above the base fee. Default: the tip. */
  readonly cap?: bigint;
  readonly bytes?: number;
  readonly units?: bigint;
}

let transactions = 0;

/** Creates a transaction without a signature, which the pool does not check. */
export function makeTransaction({
  sender,
  nonce,
  tip,
  cap = tip,
  bytes = 100,
  units = 0n,
}: UnsignedDraft): ChainTransaction {
  transactions += 1;
  const maxFeePerGas = BASE_FEE_PER_GAS + cap;
  const shape = { type: 2, nonce, gasLimit: 21_000n, maxFeePerGas, maxPriorityFeePerGas: tip };
  return {
    tx: createTx(shape, { common, freeze: false }),
    hash: `0x${transactions.toString(16).padStart(64, '0')}`,
    sender: new Address(new Uint8Array(20).fill(sender + 1)),
    valueUnits: units,
    maxFeePerGas,
    maxPriorityFeePerGas: tip,
    raw: new Uint8Array(bytes),
  };
}
