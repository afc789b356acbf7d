import { getToken, parseAmount, type BridgeOperationResponse } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { zeroAddress, type Address } from 'viem';
import { makeStranger, type Bench } from './bench.js';
import { holdBlocks, passTime, type Lift } from './conditions.js';
import { payRelayer, registerIntent } from './intents.js';

/** The amount of a transfer of each asset, above its minimum and fee. */
export const AMOUNTS = {
  ETH: parseAmount('ETH', '1'),
  USDC: parseAmount('USDC', '100'),
  XCN: parseAmount('XCN', '10000'),
} as const;
/** Holds up to this are waited for; longer ones are skipped by moving the clocks. */
const SHORT_HOLD_SECONDS = 5;
/** PUSH0 PUSH0 REVERT. */
const REFUSING_CODE = '0x5f5ffd';

/** An operation, and the lift of the condition that it needed. */
export interface Outcome {
  readonly operation: BridgeOperationResponse;
  readonly lift?: Lift;
}

/** Deposits on Ethereum and returns the query that finds the operation. */
export async function deposit(bench: Bench, asset: keyof typeof AMOUNTS, amount: bigint = AMOUNTS[asset]) {
  const user = await bench.openUser();
  const { originTxHash } = await user.deposit(asset, amount, makeStranger());
  return `originTxHash=${originTxHash}`;
}

/** Deposits ETH while blocks are held, and waits until the relayer has stored the operation. */
export async function depositConfirming(bench: Bench) {
  const user = await bench.openUser();
  const { originTxHash, receipts } = await user.deposit('ETH', AMOUNTS.ETH, makeStranger());
  const query = `originTxHash=${originTxHash}`;
  const operation = await bench.untilStatus(query, 'CONFIRMING');
  await bench.wait('the deposit is read', () => user.isRead(originTxHash));
  return { query, operation, receipts } as const;
}

/** Burns bridged tokens on the partner chain and returns the query that finds the operation. */
export async function burn(bench: Bench, asset: 'ETH' | 'USDC', recipient: Address = makeStranger()) {
  const amount = AMOUNTS[asset];
  const user = await bench.openUserWith(asset, amount);
  const { originTxHash } = await user.burn(asset, amount, recipient, amount);
  return `originTxHash=${originTxHash}`;
}

/** Waits until a withdrawal is final, and skips a long hold. */
export async function letHoldPass(bench: Bench, query: string): Promise<void> {
  const isFinal = ({ status }: BridgeOperationResponse) => status !== 'CONFIRMING';
  const { holdUntil } = await bench.until(query, 'final', isFinal);
  if (holdUntil === null) return;
  const { timestamp } = await bench.environment.partner.client.getBlock();
  const seconds = Math.ceil(Date.parse(holdUntil) / 1_000) - Number(timestamp);
  // The chains keep the clock of this machine unless a hold is long.
  if (seconds > SHORT_HOLD_SECONDS) await passTime(bench, seconds);
}

export async function passHold(bench: Bench): Promise<Outcome> {
  const query = await burn(bench, 'USDC');
  await letHoldPass(bench, query);
  return { operation: await bench.untilStatus(query, 'COMPLETED') };
}

export async function bindLate(bench: Bench): Promise<Outcome> {
  const user = await bench.openUser();
  const { intentId, amount } = await registerIntent(bench);
  const hash = await payRelayer(bench, amount);
  await bench.until(`intentId=${intentId}`, 'paid', ({ originTxHash }) => originTxHash !== null);
  await user.bindOrigin(intentId, hash);
  return { operation: await bench.until(`intentId=${intentId}`, 'bound', () => true) };
}

/** The operation is removed from the database with its block, so this returns its earlier state. */
export async function reorg(bench: Bench): Promise<Outcome> {
  const { ethereum } = bench.environment;
  const resume = await holdBlocks(bench);
  try {
    const { query, operation, receipts } = await depositConfirming(bench);
    const head = await ethereum.client.getBlockNumber({ cacheTime: 0 });
    const depth = head - (receipts.at(-1)?.blockNumber ?? head) + 1n;
    await ethereum.test.request({ method: 'anvil_reorg', params: [Number(depth), []] } as never);
    await waitUntilGone(bench, query);
    return { operation };
  } finally {
    await resume();
  }
}

/** Withdraws to a contract that refuses coins. Resolves when the withdrawal is a credit in BridgeLock. */
export async function refuseRecipient(bench: Bench): Promise<Outcome & { readonly claimable: bigint; lift: Lift }> {
  const { ethereum, book } = bench.environment;
  const recipient = makeStranger();
  await ethereum.test.setCode({ address: recipient, bytecode: REFUSING_CODE });
  const query = await burn(bench, 'ETH', recipient);
  await letHoldPass(bench, query);
  const operation = await bench.untilStatus(query, 'COMPLETED');
  const lock = { address: book.ethereum.bridgeLock, abi: bridgeLockAbi } as const;
  const args = [zeroAddress, recipient] as const;
  const claimable = await ethereum.client.readContract({ ...lock, functionName: 'claimable', args });
  const lift = async () => {
    await ethereum.test.setCode({ address: recipient, bytecode: '0x' });
    const wallet = ethereum.getWallet(bench.account);
    await bench.mined('ethereum', await wallet.writeContract({ ...lock, functionName: 'claimFor', args }));
  };
  return { operation, claimable, lift };
}

/** Gives an account an asset. Coins on Ethereum need no transaction; test tokens are minted. */
export async function fund(bench: Bench, chain: 'ethereum' | 'partner', asset: string, to: Address, amount: bigint) {
  const { ethereum, partner, book } = bench.environment;
  const user = await bench.openUser();
  if (chain === 'partner' && asset === 'XCN') {
    const hash = await partner.getWallet(user.account).sendTransaction({ to, value: amount });
    await bench.mined('partner', hash);
    return;
  }
  if (chain === 'partner') {
    await bench.provide(asset, amount);
    const { originTxHash } = await user.deposit(asset, amount, to);
    await bench.untilStatus(`originTxHash=${originTxHash}`, 'COMPLETED');
    return;
  }
  if (asset === 'ETH') {
    const held = await ethereum.client.getBalance({ address: to });
    await ethereum.test.setBalance({ address: to, value: held + amount });
    return;
  }
  await bench.mint(getToken(book, 'ethereum', asset), to, amount);
}

async function waitUntilGone(bench: Bench, query: string): Promise<void> {
  await bench.wait('the deposit is gone', async () => (await bench.find(query)) === null);
}
