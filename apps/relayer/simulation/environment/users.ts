import {
  assetInfo,
  DEFAULT_FEE_POLICIES,
  intentDigest,
  intentDomain,
  getToken,
  pickAsset,
  quoteFee,
  type Asset,
} from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Store } from '@causeway/store';
import { encodeFunctionData, erc20Abi, maxUint256, parseAbi, type Hex } from 'viem';
import { BOOK, ROLES, send } from '../bridge.ts';
import type { Account } from '../chain/account.ts';
import { smartSignature } from './accounts.ts';
import { CONFIRMATIONS } from './configuration.ts';
import { getSender } from './payments.ts';
import { personAt, USERS } from './people.ts';
import type { Mistake, Way } from './schedule.ts';
import type { Accepted, Simulation } from './simulation.ts';

/** Lifetime of intents, in milliseconds. */
export const INTENT_WINDOW_MS = 36_000;
/** The latest payment after an intent's registration, in milliseconds. */
export const LATEST_PAYMENT_MS = INTENT_WINDOW_MS + 15_000;
/** Blocks of about a minute. */
const MOST_LAG_BLOCKS = 5;
const FIRST_TOKENS = 10n ** 30n;
const mintAbi = parseAbi(['function mint(address to, uint256 amount)']);

interface Wanted {
  readonly user: number;
  readonly way: Way;
  readonly amount: bigint;
}

/** The users' actions on the chains and through the API. */
export class Users {
  private readonly simulation: Simulation;
  private readonly api: Store;
  private count = 0;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
    this.api = simulation.makeStore(simulation.kernel.process('api'));
  }

  private get bridge(): Simulation['bridge'] {
    return this.simulation.bridge;
  }

  /** Gives all users tokens on Ethereum, and BridgeLock an allowance. */
  equip(): void {
    const { ethereum } = this.bridge;
    for (const asset of ['USDC', 'XCN'] as const) {
      const to = getToken(BOOK, 'ethereum', asset);
      for (const user of USERS) {
        const args = [user.address, FIRST_TOKENS] as const;
        send(ethereum, ROLES.admin, { to, data: encodeFunctionData({ abi: mintAbi, functionName: 'mint', args }) });
        const allowance = [BOOK.ethereum.bridgeLock, maxUint256] as const;
        send(ethereum, user, {
          to,
          data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: allowance }),
        });
      }
    }
  }

  deposit(user: Account, asset: Asset, amount: bigint, recipient = user.address): void {
    const [to, abi] = [BOOK.ethereum.bridgeLock, bridgeLockAbi] as const;
    const call =
      asset === 'ETH'
        ? { value: amount, data: encodeFunctionData({ abi, functionName: 'depositNative', args: [recipient] }) }
        : {
            data: encodeFunctionData({
              abi,
              functionName: 'deposit',
              args: [getToken(BOOK, 'ethereum', asset), amount, recipient],
            }),
          };
    send(this.bridge.ethereum, user, { to, ...call });
  }

  /** Burns a bridged token, or withdraws native XCN. */
  withdraw(user: Account, asset: Asset, amount: bigint, recipient = user.address): void {
    const [to, abi] = [BOOK.partner.bridgeMint, bridgeMintAbi] as const;
    const call =
      asset === 'XCN'
        ? {
            value: amount,
            data: encodeFunctionData({ abi, functionName: 'withdrawNative', args: [recipient, amount] }),
          }
        : {
            data: encodeFunctionData({
              abi,
              functionName: 'burn',
              args: [getToken(BOOK, 'partner', asset), amount, recipient, amount],
            }),
          };
    send(this.bridge.partner, user, { to, ...call });
  }

  /** Registers an intent, as the API does after its checks. Null when the store refuses it. */
  async registerIntent({ user, way, amount }: Wanted): Promise<Accepted | null> {
    const nonce = `intent ${this.count++}`;
    const [{ account: person }, sender] = [personAt(user), getSender(way, user)];
    const askedAtMs = this.simulation.kernel.now();
    const deadline = BigInt(Math.floor((askedAtMs + INTENT_WINDOW_MS) / 1_000));
    const recipient = person.address;
    const id = intentDigest(intentDomain(BOOK.partner), { sender, recipient, amount, deadline, nonce });
    const policy = { ...DEFAULT_FEE_POLICIES.XCN, maxAmount: maxUint256 };
    const { fee, outputAmount, bps } = quoteFee('XCN', policy, amount, 'PARTNER_TO_ETHEREUM');
    const terms = {
      id,
      kind: 'INTENT',
      direction: 'PARTNER_TO_ETHEREUM',
      asset: 'XCN',
      amount,
      fee,
      feeBps: bps,
      outputAmount,
      sender,
      recipient,
      originChainId: BOOK.partner.chainId,
      destinationChainId: BOOK.ethereum.chainId,
      originNonce: null,
      requiredConfirmations: CONFIRMATIONS.partner,
    } as const;
    const expiresAtMs = Number(deadline) * 1_000;
    const asked = { id, sender, recipient, amount, outputAmount, askedAtMs, expiresAtMs };
    const intent: Accepted = { ...asked, acceptedAtMs: null };
    this.simulation.intents.push(intent);
    const isNew = await this.api.intents.register(terms, {
      id,
      sender,
      nonce,
      idempotencyKey: nonce,
      deadlineSeconds: deadline,
      signature: sender === person.address ? person.signDigest(id) : smartSignature(id),
      clientIp: '203.0.113.1',
      mostOpenOfClient: 100,
      judgedAtBlock: await this.readJudgedBlock(),
      expiresAt: new Date(expiresAtMs),
    });
    if (!isNew) return null;
    intent.acceptedAtMs = this.simulation.kernel.now();
    return intent;
  }

  /** The block at which the API judges an intent: final, and read by a relayer that keeps up. */
  private async readJudgedBlock(): Promise<bigint> {
    const head = this.bridge.partner.head.number;
    const final = Math.max(head - CONFIRMATIONS.partner + 1, BOOK.partner.deployedAtBlock);
    const read = Number((await this.api.scan.latestBlock(BOOK.partner.chainId))?.number ?? final);
    return BigInt(head - read > MOST_LAG_BLOCKS ? final : Math.min(final, read));
  }

  /** Names the transaction that pays an intent, like `bind-origin`. */
  async bind(id: Hex, originTxHash: Hex): Promise<void> {
    await this.api.intents.proposeOrigin(id, originTxHash, null);
  }

  /** A unique amount of an asset. A usual one is above every minimum. */
  nextAmount(asset: Asset, size: Mistake['size'] = 'usual'): bigint {
    this.count += 1;
    const { minAmount } = pickAsset(DEFAULT_FEE_POLICIES, asset);
    const { dust, granularity } = assetInfo(asset);
    const least = { usual: 2n * minAmount, small: dust + dust / 10n, dust: dust / 2n }[size];
    return least + BigInt(this.count) * granularity;
  }
}
