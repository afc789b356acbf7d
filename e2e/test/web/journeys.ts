import { expect } from '@jest/globals';
import { getToken, type BridgeOperationResponse } from '@causeway/protocol';
import { testUsdcAbi } from '@causeway/protocol/abi';
import { connectBridge, getHistory } from '@causeway/sdk';
import { SmartAccounts } from '@causeway/test-kit';
import { parseEther, type Address } from 'viem';
import { chooseFunds, FLOWS, pickRecipient, readBalance, type Flow } from '../sdk/flows.js';
import { fundUsers } from '../sdk/users.js';
import type { TestEnvironment } from '../temporary-environment.js';
import { Visitor, type Browser, type Wish } from './visitor.js';

const USDC = 10n ** 6n;

/** The flows of keys, with a burn of ETH, which the SDK's tests do not need. */
export const JOURNEYS: readonly Flow[] = [
  ...FLOWS,
  { ...FLOWS.find(({ name }) => name === 'a burn of USDC')!, name: 'a burn of ETH', asset: 'ETH', amount: '0.5' },
];

/** A person's transfer from a form. */
export function toWish({ side, asset, amount }: Flow, recipient: Address): Wish {
  return { asset, to: side === 'ethereum' ? 'partner' : 'ethereum', amount, recipient };
}

/** Makes every flow in the page, each by another person, until it is completed. */
export async function completeEveryFlow(environment: TestEnvironment, browser: Browser): Promise<void> {
  const users = await fundUsers(environment, JOURNEYS.map(chooseFunds));
  await inTurns(JOURNEYS, 3, async (flow, index) => {
    const { account } = users[index]!;
    const recipient = pickRecipient();
    const visitor = await Visitor.arrive(environment, browser, account);
    await visitor.wish(toWish(flow, recipient), flow.name.includes('intent'));
    // A transaction with higher fees replaces the one that the page knows.
    if (flow.name === 'a deposit of ETH') visitor.wallet.replacesNext = 'speed-up';
    await visitor.begin();
    await visitor.isCompleted();
    expect([flow.name, visitor.windows]).toEqual([flow.name, flow.windows]);
    await visitor.leave();
    await expectOneTransfer(environment, flow, account.address, recipient);
  });
}

/** Works through a list, so many at the same time. */
export async function inTurns<T>(list: readonly T[], together: number, act: (item: T, index: number) => Promise<void>) {
  const rest = [...list.entries()];
  const work = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await act(next[1], next[0]);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: together }, work));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Expects one transfer of the sender, completed, and exactly its output at the recipient. */
export async function expectOneTransfer(
  environment: TestEnvironment,
  { name, side, asset }: Flow,
  sender: Address,
  recipient: Address,
): Promise<BridgeOperationResponse> {
  const bridge = connectBridge({ apiUrl: environment.stack.apiUrl });
  const { operations } = await getHistory(bridge, { address: sender, role: 'sender' });
  const begun = operations.filter(({ originTxHash }) => originTxHash !== null);
  const delivered = await readBalance(environment, side === 'ethereum' ? 'partner' : 'ethereum', asset, recipient);
  expect({ name, begun: begun.map(({ status, outputAmount }) => [status, outputAmount]) }).toEqual({
    name,
    begun: [['COMPLETED', `${delivered}`]],
  });
  return begun[0]!;
}

/** Cancels a deposit in the wallet before a node has seen it: the page says that it cannot know, and sends again. */
export async function cancelDeposit(environment: TestEnvironment, browser: Browser): Promise<void> {
  const [flow] = FLOWS;
  if (flow === undefined) throw new Error('There is no flow');
  const [user] = await fundUsers(environment, [chooseFunds(flow)]);
  const recipient = pickRecipient();
  const visitor = await Visitor.arrive(environment, browser, user!.account);
  await visitor.wish(toWish(flow, recipient));
  visitor.wallet.replacesNext = 'cancel';
  await visitor.begin();
  await visitor.reads('It is unknown whether the wallet sent this transaction');
  expect(visitor.windows).toBe(1);
  await visitor.press('The wallet did not send it: send again');
  await visitor.isCompleted();
  expect(visitor.windows).toBe(2);
  await visitor.leave();
  await expectOneTransfer(environment, flow, user!.account.address, recipient);
}

/** Deposits USDC from a smart account as one batch, and shows why it cannot withdraw XCN. */
export async function depositFromSmartAccount(environment: TestEnvironment, browser: Browser): Promise<void> {
  const { ethereum, book } = environment;
  const [user] = await fundUsers(environment, [{ ethereum: { ETH: parseEther('1'), USDC: 50n * USDC }, partner: {} }]);
  const { account, privateKey } = user!;
  const key = ethereum.getWallet({ address: account.address, privateKey });
  const { address, factory, factoryData } = await new SmartAccounts(ethereum.client, key).ownedBy(account);
  const args = [address, 50n * USDC] as const;
  const usdc = getToken(book, 'ethereum', 'USDC');
  const hashes = [
    await key.sendTransaction({ to: factory, data: factoryData }),
    await key.writeContract({ address: usdc, abi: testUsdcAbi, functionName: 'transfer', args }),
  ];
  await Promise.all(hashes.map(async (hash) => ethereum.client.waitForTransactionReceipt({ hash })));

  const recipient = pickRecipient();
  const visitor = await Visitor.arrive(environment, browser, account, { contract: address });
  const flow = FLOWS.find(({ name }) => name === 'a deposit of USDC')!;
  await visitor.wish(toWish(flow, recipient));
  await visitor.begin();
  await visitor.isCompleted();
  expect(visitor.wallet.calls.filter((method) => method === 'wallet_sendCalls')).toHaveLength(1);
  await visitor.leave();
  await expectOneTransfer(environment, flow, address, recipient);
}

/** Withdraws USDC to an account that the token refuses, and claims the credit by one button. */
export async function claimCredit(environment: TestEnvironment, browser: Browser): Promise<void> {
  const { ethereum, accounts, book } = environment;
  const flow = FLOWS.find(({ name }) => name === 'a burn of USDC')!;
  const funds = chooseFunds(flow);
  const [user] = await fundUsers(environment, [{ ...funds, ethereum: { ETH: parseEther('0.1') } }]);
  const { account } = user!;
  const setBlocklisted = async (isBlocked: boolean) => {
    const hash = await ethereum.getWallet(accounts.alice).writeContract({
      address: book.ethereum.tokens.USDC,
      abi: testUsdcAbi,
      functionName: 'setBlocklisted',
      args: [account.address, isBlocked],
    });
    await ethereum.client.waitForTransactionReceipt({ hash });
  };
  await setBlocklisted(true);
  const visitor = await Visitor.arrive(environment, browser, account);
  await visitor.wish({ ...toWish(flow, account.address), recipient: '' });
  await visitor.begin();
  const claim = /^Claim 45 USDC$/;
  await visitor.page.getByRole('button', { name: claim }).first().waitFor();
  await setBlocklisted(false);
  await visitor.press(claim);
  await visitor.changeNetworkIfAsked();
  await visitor.reads('Claimed');
  await visitor.leave();
  expect(await readBalance(environment, 'ethereum', 'USDC', account.address)).toBe(45n * USDC);
}
