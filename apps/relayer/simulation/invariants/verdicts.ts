import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import {
  computeIntentId,
  computeOperationId,
  createVerifier,
  judgeDelivery,
  MemoryRecord,
  type AttestedCall,
  type Delivery,
  type Node,
  type Side,
  type Verdict,
  type Verifier,
  type VerifierSettings,
} from '@causeway/verifier';
import { decodeFunctionData, zeroAddress, type Address, type Hex } from 'viem';
import { makeItems } from '../../dist/exchange/items.js';
import { BOOK } from '../bridge.ts';
import { answer } from '../chain/node-answers.ts';
import type { SimulatedChain } from '../chain/simulated-chain.ts';
import type { Transaction } from '../chain/transactions.ts';
import { CONFIGURATION, CONFIRMATIONS, OPERATORS } from '../environment/configuration.ts';
import { Random } from '../environment/random.ts';
import type { Simulation } from '../environment/simulation.ts';
import { withRealTimers } from '../environment/virtual-timers.ts';
import { ViolationError } from '../outcome.ts';
import { changeItem, exchangeTransfers } from './changed-items.ts';

/** A payment that the relayer sends, as its call has it. */
interface SentPayment {
  readonly id: Hex;
  readonly terms: string;
  readonly txHash: Hex;
  /** Why the verifier did not agree yet. */
  readonly doubt: string;
}

/** Changed items for each payment that is judged. */
const CHANGES = 12;

/**
 * The verifier beside the relayer: it must agree to each payment that the relayer sends, refuse each one that differs
 * from it, and know at the end which operations were paid. It shares no code with the relayer, so a difference is a bug
 * of one of them.
 */
export class Verdicts {
  /** Judgements so far. */
  count = 0;
  private readonly simulation: Simulation;
  private readonly verifier: Verifier;
  private readonly random: Random;
  private readonly known = new Set<string>();
  /** Sent, and not agreed to yet. */
  private pending: SentPayment[] = [];
  private readonly agreed: Delivery[] = [];
  private blocks = '';

  constructor(simulation: Simulation, seed: number) {
    this.simulation = simulation;
    this.random = new Random(seed);
    this.verifier = makeVerifier(simulation);
    for (const side of ['ethereum', 'partner'] as const) this.watch(side);
  }

  /** Judges the payments that were sent. One whose block or time has not come is judged again with the next block. */
  async look(): Promise<void> {
    const { bridge, hasFinalReorg, forgeries, useless } = this.simulation;
    // After that, terms of before and after are in flight.
    if (hasFinalReorg) this.pending = [];
    const blocks = `${bridge.ethereum.head.hash} ${bridge.partner.head.hash} ${this.known.size}`;
    if (this.pending.length === 0 || blocks === this.blocks) return;
    this.blocks = blocks;
    // The thief has the same key.
    const judged = this.pending.filter(({ txHash }) => !forgeries.has(txHash) && !useless.has(txHash));
    this.pending = [];
    for (const payment of judged) {
      const doubt = await this.findDoubt(payment);
      if (doubt !== null) this.pending.push({ ...payment, doubt });
    }
  }

  /** At the end nothing is owed: all that is was paid, and the relayer refunds the rest. */
  async checkEnd(): Promise<void> {
    const { hasFinalReorg, forgeries, database } = this.simulation;
    if (hasFinalReorg || forgeries.size > 0) return;
    const [left] = this.pending;
    if (left !== undefined)
      throw new ViolationError(
        'the verifier agrees to each payment',
        `${left.terms} is still not to be signed: ${left.doubt}`,
      );
    for (const item of await this.makeItems(database.operations.map(({ id }) => id))) {
      const verdict = await this.judge(item);
      if (verdict.kind === 'SIGN') throw new ViolationError('nothing is owed at the end', formatItem(item));
    }
  }

  /** Why the verifier does not agree to a payment now; null when it does. */
  private async findDoubt({ id, terms }: SentPayment): Promise<string | null> {
    const [item] = await this.makeItems([id]);
    if (item === undefined) throw new ViolationError('each payment is of an operation', terms);
    const verdict = await this.judge(item);
    if (verdict.kind === 'NOT_YET') return verdict.why;
    if (verdict.kind === 'REFUSE')
      throw new ViolationError('the verifier agrees to each payment', `${terms}: ${verdict.reason}: ${verdict.why}`);
    const [agreed] = readCall(verdict.call);
    if (agreed !== terms) throw new ViolationError('both have the same terms', `${terms}, and the verifier ${agreed}`);
    const changed = Array.from({ length: CHANGES }, (_, number) => changeItem(item, number, this.random));
    const exchanged = this.agreed.flatMap((other) => [exchangeTransfers(item, other), exchangeTransfers(other, item)]);
    for (const wrong of [...changed, ...exchanged])
      if (wrong !== null && (await this.judge(wrong)).kind === 'SIGN')
        throw new ViolationError('the verifier agrees to nothing else', formatItem(wrong));
    this.agreed.push(item);
    return null;
  }

  private async judge(item: Delivery): Promise<Verdict> {
    this.count += 1;
    return withRealTimers(async () => judgeDelivery(item, this.verifier));
  }

  /** By the relayer's own code and rows. An intent without a transfer has no item that may be signed. */
  private async makeItems(ids: readonly Hex[]): Promise<Delivery[]> {
    const { store } = this.simulation.database.server;
    const items = await withRealTimers(async () => makeItems(store, BOOK, await store.operations.findByIds([...ids])));
    return items.flatMap((item): Delivery[] => {
      if (item.kind === 'REFUND') return [];
      if (item.kind !== 'INTENT') return [item];
      const { origin } = item;
      return origin === null ? [] : [{ ...item, origin }];
    });
  }

  private watch(side: Side): void {
    const { bridge } = this.simulation;
    const { pool } = bridge[side];
    const add = pool.add.bind(pool);
    pool.add = (transaction, ...rest) => {
      add(transaction, ...rest);
      const { from, hash: txHash } = transaction;
      if (from !== BOOK.relayer) return;
      for (const { id, terms } of readPayments(transaction)) {
        const key = `${id} ${terms}`;
        if (!this.known.has(key)) this.pending.push({ id, terms, txHash, doubt: 'it was not judged' });
        this.known.add(key);
      }
    };
  }
}

function makeVerifier({ bridge, kernel }: Simulation): Verifier {
  const settings: VerifierSettings = {
    ethereum: { chainId: BOOK.ethereum.chainId, contract: BOOK.ethereum.bridgeLock, deployedAtBlock: 1n },
    partner: { chainId: BOOK.partner.chainId, contract: BOOK.partner.bridgeMint, deployedAtBlock: 1n },
    assets: [
      { symbol: 'ETH', decimals: 18, tokens: { ethereum: zeroAddress, partner: BOOK.partner.tokens.ETH } },
      {
        symbol: 'USDC',
        decimals: 6,
        tokens: { ethereum: BOOK.ethereum.tokens.USDC, partner: BOOK.partner.tokens.USDC },
      },
      { symbol: 'XCN', decimals: 18, tokens: { ethereum: BOOK.ethereum.tokens.XCN, partner: zeroAddress } },
    ],
    holdSeconds: CONFIGURATION.holdSeconds,
    operators: { addresses: OPERATORS.map(({ address }) => address), needed: 1 },
  };
  const options = (side: Side) => ({
    nodes: [makeNode(side, bridge[side])],
    quorum: 1,
    confirmations: CONFIRMATIONS[side],
  });
  const now = () => Math.floor(kernel.now() / 1_000);
  return createVerifier({
    settings,
    ethereum: options('ethereum'),
    partner: options('partner'),
    record: new MemoryRecord(),
    now,
  });
}

/** An honest node with all states. */
function makeNode(name: string, chain: SimulatedChain): Node {
  const request = async ({ method, params }: { readonly method: string; readonly params: readonly unknown[] }) =>
    answer({ chain, head: chain.head, oldestState: 0 }, method, params);
  return { name, client: { request } };
}

/** The deliveries of a call to a bridge contract. */
function readPayments({ to, input }: Transaction): Pick<SentPayment, 'id' | 'terms'>[] {
  if (to === BOOK.partner.bridgeMint) {
    const { functionName, args } = decodeFunctionData({ abi: bridgeMintAbi, data: input });
    const id = (number: bigint) => toId('ethereum', number);
    if (functionName === 'mint') return [{ id: id(args[0]), terms: format(args[0], args[1], args[2], args[3], 0n) }];
    if (functionName !== 'mintMany') return [];
    return args[0].map(({ depositNonce, token, recipient, amount }) => ({
      id: id(depositNonce),
      terms: format(depositNonce, token, recipient, amount, 0n),
    }));
  }
  if (to !== BOOK.ethereum.bridgeLock) return [];
  const { functionName, args } = decodeFunctionData({ abi: bridgeLockAbi, data: input });
  const id = (number: bigint) => toId('partner', number);
  switch (functionName) {
    case 'release':
      return [{ id: id(args[0]), terms: format(...args) }];
    case 'releaseNative':
      return [{ id: id(args[0]), terms: format(args[0], zeroAddress, args[1], args[2], args[3]) }];
    case 'releaseMany':
      return args[0].map(({ withdrawNonce, token, recipient, amount, fee }) => ({
        id: id(withdrawNonce),
        terms: format(withdrawNonce, token, recipient, amount, fee),
      }));
    case 'releaseIntent': {
      const intentId = computeIntentId(getDomain('partner'), args[0]);
      return [{ id: intentId, terms: `${intentId} ${args[1]} ${args[2]} ${args[0].signature}` }];
    }
    default:
      return [];
  }
}

/** The payments of a call that the verifier agrees to, in the same form. */
function readCall(call: AttestedCall): string[] {
  switch (call.kind) {
    case 'MINT_MANY':
      return call.payments.map(({ depositNonce, token, recipient, amount }) =>
        format(depositNonce, token, recipient, amount, 0n),
      );
    case 'RELEASE_MANY':
      return call.payments.map(({ withdrawNonce, token, recipient, amount, fee }) =>
        format(withdrawNonce, token, recipient, amount, fee),
      );
    case 'RELEASE_INTENT':
      return [`${call.intentId} ${call.transferId} ${call.fee} ${call.signature}`];
    case 'REFUND':
      return [];
  }
}

function format(number: bigint, token: Address, recipient: Address, amount: bigint, fee: bigint): string {
  return `${number} ${token.toLowerCase()} ${recipient.toLowerCase()} ${amount} ${fee}`;
}

function getDomain(side: Side) {
  return side === 'ethereum'
    ? { chainId: BOOK.ethereum.chainId, contract: BOOK.ethereum.bridgeLock }
    : { chainId: BOOK.partner.chainId, contract: BOOK.partner.bridgeMint };
}

function toId(side: Side, number: bigint): Hex {
  return computeOperationId(getDomain(side), number);
}

function formatItem(item: Delivery): string {
  return JSON.stringify(item, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}
