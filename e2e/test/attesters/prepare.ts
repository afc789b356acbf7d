import { lower } from '@causeway/chain';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import { getToken } from '@causeway/protocol';
import { concatHex, encodeAbiParameters, encodeEventTopics, encodeFunctionData, type Address, type Hex } from 'viem';
import { computeOperationId, type Origin } from '@causeway/verifier';
import type { TestEnvironment } from '../temporary-environment.js';
import { getDomain } from './consent.js';
import type { Base, Honest, Scene } from './forgery.js';
import { burn, deposit, pay, payAstray, payIntents, payTokensAstray, sweep, toTransfer, xcn } from './origins.js';
import { sendAll, sendGood, type Key, type Side } from './transactions.js';

/** Bytecode that emits the event in its calldata: four topics, then the data. */
const EMITTER: Hex = '0x601b80600b6000396000f360803603806080600037606035604035602035600035846000a400';
const MILLION = 10n ** 12n;
const USDC = 10n ** 6n;
const CIRCLE = xcn(6_600);

/** Unpaid honest items of each kind, and the thief's preparations. */
export interface Prepared {
  readonly honest: Readonly<{ [B in Base]: Honest[B][] }>;
  readonly made: Scene['made'];
}

/** Begins a number of transfers of each kind that no relayer pays. */
export async function prepare(
  environment: TestEnvironment,
  mallory: Key,
  counts: Readonly<Record<Base, number>>,
): Promise<Prepared> {
  const amounts = (base: Base, first: bigint, step: bigint) =>
    Array.from({ length: counts[base] }, (_, index) => first + step * BigInt(index));
  const [MINT, partner, REFUND, made] = await Promise.all([
    // The collateral of all XCN releases comes first.
    deposit(environment, [xcn(500_000)], 'XCN').then(async () =>
      deposit(environment, amounts('MINT', 10n * USDC, USDC)),
    ),
    // One at a time, since they share Alice's nonces.
    burn(environment, amounts('RELEASE', 60n * USDC, USDC)).then(async (RELEASE) => ({
      RELEASE,
      INTENT: await payIntents(environment, amounts('INTENT', xcn(6_000), xcn(1))),
      TOKEN_REFUND: await payTokensAstray(environment, amounts('TOKEN_REFUND', 7n * USDC, USDC)),
      elsewhere: await pay(environment, environment.accounts.alice, [xcn(6_500)], environment.accounts.bob.address),
      unswept: await pay(environment, environment.accounts.alice, [CIRCLE]),
    })),
    payAstray(environment, amounts('REFUND', xcn(300), xcn(1))),
    makeOrigins(environment, mallory),
  ]);
  const { elsewhere, unswept, ...items } = partner;
  await sweep(environment, environment.accounts.relayer, items.INTENT.map(toTransfer));
  return { honest: { MINT, REFUND, ...items }, made: { ...made, elsewhere: elsewhere[0]!, unswept: unswept[0]! } };
}

async function makeOrigins(
  environment: TestEnvironment,
  mallory: Key,
): Promise<Omit<Scene['made'], 'elsewhere' | 'unswept'>> {
  const { book, accounts } = environment;
  const emitted = { token: getToken(book, 'partner', 'USDC'), sender: lower(mallory.address), amount: MILLION };
  const [deposited, withdrawn, [failed], [circle]] = await Promise.all([
    emit(environment, mallory, 'ethereum', emitted),
    emit(environment, mallory, 'partner', emitted),
    sendAll(environment, 'ethereum', accounts.bob, [
      {
        to: book.ethereum.bridgeLock,
        gas: 300_000n,
        data: encodeFunctionData({
          abi: bridgeLockAbi,
          functionName: 'deposit',
          args: [getToken(book, 'ethereum', 'USDC'), MILLION, mallory.address],
        }),
      },
    ]),
    pay(environment, accounts.relayer, [CIRCLE]),
  ]);
  if (failed?.status !== 'reverted') throw new Error('The deposit without an allowance did not revert');
  const made = { deposit: toOrigin(deposited), withdrawal: toOrigin(withdrawn), failed: toOrigin(failed) };
  return { ...made, circle: circle!, circleAmount: CIRCLE, amount: MILLION };
}

const toOrigin = ({ blockNumber, transactionHash }: Origin): Origin => ({ blockNumber, transactionHash });

/** Makes a contract of the thief emit the event of a deposit or withdrawal. */
async function emit(
  environment: TestEnvironment,
  mallory: Key,
  side: Side,
  { token, sender, amount }: { readonly token: Address; readonly sender: Address; readonly amount: bigint },
) {
  const number = 50_000n;
  const id = computeOperationId(getDomain(environment.book, side), number);
  const uint = { type: 'uint256' } as const;
  const address = { type: 'address' } as const;
  const [topics, data] =
    side === 'ethereum'
      ? [
          encodeEventTopics({
            abi: bridgeLockAbi,
            eventName: 'Deposit',
            args: { depositId: id, token, sender },
          }),
          encodeAbiParameters([address, uint, uint], [sender, amount, number]),
        ]
      : [
          encodeEventTopics({ abi: bridgeMintAbi, eventName: 'Withdraw', args: { withdrawId: id, token, sender } }),
          encodeAbiParameters([address, uint, uint, uint], [sender, amount, 0n, number]),
        ];
  const [deployed] = await sendGood(environment, side, mallory, [{ data: EMITTER, gas: 3_000_000n }]);
  const [emitted] = await sendGood(environment, side, mallory, [
    { to: deployed!.contractAddress!, data: concatHex([...(topics as Hex[]), data]), gas: 1_000_000n },
  ]);
  if (emitted?.logs[0]?.topics[0] !== topics[0]) throw new Error("The thief's contract emitted no such event");
  return emitted;
}
