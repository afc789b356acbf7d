import { getToken, parseAmount, type BridgeOperationResponse, type DelayReason } from '@causeway/protocol';
import { bridgedTokenAbi, bridgeLockAbi } from '@causeway/protocol/abi';
import { concatHex, numberToHex, type Hex } from 'viem';
import { demandAttesters, refuseByAttesters } from './attesters.js';
import type { Bench } from './bench.js';
import {
  emptyFloat,
  holdBlocks,
  limitOutflow,
  pause,
  raiseFees,
  restartRelayer,
  within,
  type Lift,
} from './conditions.js';
import { startRefusingNode } from './refusing-node.js';
import { cancelDelivery, takeNonce, useUpNumber } from './spoiled-deliveries.js';
import { AMOUNTS, burn, deposit, letHoldPass, type Outcome } from './transfers.js';

/** A URL at which no node listens. */
const NO_NODE = 'http://127.0.0.1:9';
/** More than the collateral on Ethereum. */
const UNCOVERED = parseAmount('XCN', '10000');

/** Causes each reason. */
const WAYS: Readonly<Record<DelayReason, (bench: Bench) => Promise<Outcome>>> = {
  FLOAT_SHORT: async (bench) => delayedDeposit(bench, 'FLOAT_SHORT', await emptyFloat(bench), 'XCN'),
  OUTFLOW_LIMIT: async (bench) =>
    delayedDeposit(bench, 'OUTFLOW_LIMIT', await limitOutflow(bench, 'partner', 'ETH'), 'ETH'),
  COLLATERAL_SHORT: withdrawUncovered,
  BACKING_SHORT: loseCollateral,
  PAUSED: async (bench) => delayedDeposit(bench, 'PAUSED', await pause(bench, 'partner', 'deliveries'), 'ETH'),
  NODE_UNAVAILABLE: async (bench) => {
    await bench.environment.restartRelayer({ PARTNER_RPC_URLS: NO_NODE });
    return delayedDeposit(bench, 'NODE_UNAVAILABLE', () => restartRelayer(bench), 'ETH');
  },
  NODE_REFUSED: async (bench) => {
    const node = await startRefusingNode(bench.environment.stack.partner.rpcUrl);
    await bench.environment.restartRelayer({ PARTNER_RPC_URLS: node.url });
    const lift = async () => {
      await restartRelayer(bench);
      await node.close();
    };
    return delayedDeposit(bench, 'NODE_REFUSED', lift, 'ETH');
  },
  FEES_ABOVE_CAP: async (bench) => {
    const query = await burn(bench, 'ETH');
    return within(await raiseFees(bench), async () => {
      await letHoldPass(bench, query);
      return bench.untilDelayed(query, 'FEES_ABOVE_CAP');
    });
  },
  ORIGIN_NOT_CONFIRMED: async (bench) => {
    const unpause = await pause(bench, 'partner', 'deliveries');
    const lift = async () => {
      await restartRelayer(bench);
      await unpause();
    };
    return within(lift, async () => {
      const query = await deposit(bench, 'ETH');
      await bench.untilDelayed(query, 'PAUSED');
      await bench.environment.restartRelayer({ ETHEREUM_RPC_URLS: NO_NODE });
      return bench.untilDelayed(query, 'ORIGIN_NOT_CONFIRMED');
    });
  },
  NONCE_TAKEN: takeNonce,
  DESTINATION_REVERTED: async (bench) => {
    const query = await burn(bench, 'USDC');
    return within(await breakToken(bench), async () => {
      await letHoldPass(bench, query);
      return bench.untilDelayed(query, 'DESTINATION_REVERTED');
    });
  },
  DELIVERY_CANCELLED: cancelDelivery,
  ATTESTERS_UNAVAILABLE: async (bench) => {
    const { lift } = await demandAttesters(bench, 'partner');
    return delayedDeposit(bench, 'ATTESTERS_UNAVAILABLE', lift, 'ETH');
  },
  ATTESTERS_DISAGREE: async (bench) =>
    delayedDeposit(bench, 'ATTESTERS_DISAGREE', await refuseByAttesters(bench, 'partner'), 'ETH'),
  NUMBER_USED_UP: useUpNumber,
};

/** Makes a new operation DELAYED for a reason. */
export async function reachDelay(bench: Bench, reason: DelayReason): Promise<Outcome> {
  return WAYS[reason](bench);
}

function delayedDeposit(bench: Bench, reason: DelayReason, lift: Lift, asset: keyof typeof AMOUNTS): Promise<Outcome> {
  return within(lift, async () => bench.untilDelayed(await deposit(bench, asset), reason));
}

/** Withdraws more XCN than BridgeLock holds. `lift` deposits the missing XCN. */
async function withdrawUncovered(bench: Bench): Promise<Outcome> {
  const { ethereum, book } = bench.environment;
  const user = await bench.openUser();
  const token = getToken(book, 'ethereum', 'XCN');
  const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
  const locked = await ethereum.client.readContract({ ...lock, functionName: 'locked', args: [token] });
  const amount = locked + UNCOVERED;
  const { originTxHash } = await user.withdrawNative(amount, user.account.address, amount);
  const lift = async () => {
    const deposited = await user.deposit('XCN', amount, user.account.address);
    await bench.untilStatus(`originTxHash=${deposited.originTxHash}`, 'COMPLETED');
  };
  const query = `originTxHash=${originTxHash}`;
  return within(lift, async () => {
    await letHoldPass(bench, query);
    return bench.untilDelayed(query, 'COLLATERAL_SHORT');
  });
}

/** Removes a deposit's coins from BridgeLock, while the deposit stays in its block. */
async function loseCollateral(bench: Bench): Promise<Outcome> {
  const { ethereum, book } = bench.environment;
  await bench.openUser();
  const address = book.ethereum.bridgeLock;
  const change = async (amount: bigint) => {
    const held = await ethereum.client.getBalance({ address });
    await ethereum.test.setBalance({ address, value: held + amount });
  };
  const resume = await holdBlocks(bench);
  const query = await deposit(bench, 'ETH');
  await change(-AMOUNTS.ETH);
  await resume();
  return within(
    () => change(AMOUNTS.ETH),
    async (): Promise<BridgeOperationResponse> => bench.untilDelayed(query, 'BACKING_SHORT'),
  );
}

/** USDC on Ethereum reports success without a transfer: BridgeLock reverts, since its balance did not fall. */
async function breakToken(bench: Bench): Promise<Lift> {
  const { ethereum, book } = bench.environment;
  const address = getToken(book, 'ethereum', 'USDC');
  const token = { address, abi: bridgedTokenAbi, functionName: 'balanceOf' } as const;
  const held = await ethereum.client.readContract({ ...token, args: [book.ethereum.bridgeLock] });
  const code = await ethereum.client.getCode({ address });
  if (code === undefined) throw new Error('USDC has no code on Ethereum');
  await ethereum.test.setCode({ address, bytecode: makeIdleToken(held) });
  return () => ethereum.test.setCode({ address, bytecode: code });
}

/**
 * CALLDATASIZE PUSH1 68 EQ PUSH1 46 JUMPI, for a transfer; PUSH32 balance PUSH0 MSTORE PUSH1 32 PUSH0 RETURN;
 * JUMPDEST PUSH1 1 PUSH0 MSTORE PUSH1 32 PUSH0 RETURN.
 */
function makeIdleToken(balance: bigint): Hex {
  return concatHex([
    '0x36604414602e577f',
    numberToHex(balance, { size: 32 }),
    '0x5f5260205ff3',
    '0x5b60015f5260205ff3',
  ]);
}
