import { getToken, operationId, type Side } from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '@causeway/protocol/abi';
import { decodeFunctionResult, encodeFunctionData, parseEventLogs, type Hex } from 'viem';
import { BOOK, ROLES, send } from '../bridge.ts';
import { PoolError } from '../chain/pool.ts';
import { BLOCK_MS } from './configuration.ts';
import { USERS } from './people.ts';
import type { Simulation } from './simulation.ts';
import type { Users } from './users.ts';

const NO_ATTESTATION = { setNumber: 0n, validUntil: 0n, attesters: [], signatures: [] };
/** The amount of a payment that only uses up a number, in wei. */
const USELESS = 1_000n;
/** The numbers in a word of the bitmap. The users of a schedule need only one word. */
const WORD = 256;
const SIDES = ['ethereum', 'partner'] as const;
const abi = bridgeLockAbi;

/** The state of a word of numbers, by the events on the current branch. */
interface Word {
  /** The used numbers, and those of them that the thief used up. */
  readonly used: ReadonlySet<number>;
  readonly stolen: ReadonlySet<number>;
  /** How often the word was reopened. */
  readonly openings: bigint;
}

/** A thief with the relayer's key uses up numbers, and the admin reopens them. */
export class UsedUpNumbers {
  private readonly simulation: Simulation;
  private readonly users: Users;
  private readonly words = { ethereum: listIds('ethereum'), partner: listIds('partner') };
  private isWide = false;

  constructor(simulation: Simulation, users: Users) {
    this.simulation = simulation;
    this.users = users;
  }

  /**
   * Pays a few units for the number of an operation that its user has just sent. The admin repairs that until the end.
   *
   * @param side the side of the payment.
   * @param isWide whether the admin also reopens numbers that were paid with their own terms.
   */
  async use(side: Side, isWide: boolean): Promise<void> {
    const { simulation, users } = this;
    this.isWide ||= isWide;
    const number = await this.read(side === 'ethereum' ? 'partner' : 'ethereum', 'next');
    if (side === 'ethereum') users.withdraw(USERS[0], 'ETH', users.nextAmount('ETH'));
    else users.deposit(USERS[1], 'ETH', users.nextAmount('ETH'));
    // Replaces in time the collateral that the thief takes.
    const topUp = { data: encodeFunctionData({ abi, functionName: 'topUp' }), value: USELESS };
    send(simulation.bridge.ethereum, ROLES.admin, { to: BOOK.ethereum.bridgeLock, ...topUp });
    const data = encodePayment(side, number);
    try {
      simulation.useless.add(send(simulation.bridge[side], ROLES.relayer, { to: toBridge(side), data }));
    } catch (error) {
      // A transaction with the same nonce is already pending.
      if (!(error instanceof PoolError)) throw error;
    }
    this.mendLater(side);
  }

  private mendLater(side: Side): void {
    const { kernel } = this.simulation;
    const again = async () => {
      await this.mend(side);
      kernel.at(kernel.now() + BLOCK_MS[side], again, null);
    };
    kernel.at(kernel.now() + 3 * BLOCK_MS[side], again, null);
  }

  /** The admin does the next step that is missing on the chain, since a reorg may have undone others. */
  private async mend(side: Side): Promise<void> {
    const chain = this.simulation.bridge[side];
    const to = toBridge(side);
    const { used, stolen, openings } = this.readWord(side);
    const [, isPaused, count] = await this.read(side, 'pauses');
    const admin = (data: Hex) => send(chain, ROLES.admin, { to, data });
    if (stolen.size === 0) {
      const args = [count, true, true] as const;
      if (isPaused) admin(encodeFunctionData({ abi, functionName: 'unpause', args }));
    } else if (isPaused) {
      const opened = this.isWide ? used : stolen;
      const mask = [...opened].reduce((sum, number) => sum | (1n << BigInt(number)), 0n);
      admin(encodeFunctionData({ abi, functionName: 'reopen', args: [0n, mask, openings] }));
    } else {
      const data = encodeFunctionData({ abi: sentinelAbi, functionName: 'pause', args: [false, true] });
      send(chain, ROLES.guardian, { to: BOOK[side].sentinel, data });
    }
  }

  /** Whether numbers that the thief used up still wait for the admin. */
  get areLeft(): boolean {
    return SIDES.some((side) => this.readWord(side).stolen.size > 0);
  }

  private readWord(side: Side): Word {
    const chain = this.simulation.bridge[side];
    const [used, stolen] = [new Set<number>(), new Set<number>()];
    let openings = 0n;
    for (let block = 1; block <= chain.head.number; block++)
      for (const { transaction, logs } of chain.blockAt(block).mined) {
        const ours = logs.filter(({ address }) => address === toBridge(side));
        for (const event of parseEventLogs({ abi: [...bridgeLockAbi, ...bridgeMintAbi], logs: ours as never })) {
          if (event.eventName === 'Reopened' && event.args.word === 0n) {
            openings += 1n;
            for (const number of used)
              if ((event.args.mask >> BigInt(number)) & 1n) [used, stolen].forEach((set) => set.delete(number));
          }
          if (event.eventName !== 'Mint' && event.eventName !== 'Release') continue;
          const id = event.eventName === 'Mint' ? event.args.depositId : event.args.withdrawId;
          const number = this.words[side].get(id);
          if (number === undefined) continue;
          used.add(number);
          if (this.simulation.useless.has(transaction.hash)) stolen.add(number);
        }
      }
    return { used, stolen, openings };
  }

  private async read(side: Side, what: 'pauses'): Promise<readonly [bigint, boolean, bigint]>;
  private async read(side: Side, what: 'next'): Promise<bigint>;
  private async read(side: Side, what: 'pauses' | 'next'): Promise<unknown> {
    const chain = this.simulation.bridge[side];
    const counter = side === 'ethereum' ? 'depositNonce' : 'withdrawNonce';
    const call = { abi: [...bridgeLockAbi, ...bridgeMintAbi], functionName: what === 'next' ? counter : what } as const;
    const request = { from: ROLES.admin.address, to: toBridge(side), value: 0n, data: encodeFunctionData(call) };
    return decodeFunctionResult({ ...call, data: await chain.call(request, chain.head) });
  }
}

const toBridge = (side: Side) => (side === 'ethereum' ? BOOK.ethereum.bridgeLock : BOOK.partner.bridgeMint);

/** The ids of the operations whose numbers are in the first word of a side's contract. */
function listIds(side: Side): ReadonlyMap<Hex, number> {
  const origin = side === 'ethereum' ? 'partner' : 'ethereum';
  const toId = (number: number) => operationId(BOOK[origin].chainId, toBridge(origin), BigInt(number));
  return new Map(Array.from({ length: WORD }, (_, number) => [toId(number), number]));
}

function encodePayment(side: Side, number: bigint): Hex {
  const item = { token: getToken(BOOK, side, 'ETH'), recipient: USERS[0].address, amount: USELESS };
  if (side === 'partner') {
    const args = [[{ ...item, depositNonce: number }], NO_ATTESTATION] as const;
    return encodeFunctionData({ abi: bridgeMintAbi, functionName: 'mintMany', args });
  }
  const args = [[{ ...item, withdrawNonce: number, fee: 0n }], NO_ATTESTATION] as const;
  return encodeFunctionData({ abi, functionName: 'releaseMany', args });
}
