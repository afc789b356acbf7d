import {
  assetInfo,
  DEFAULT_FEE_POLICIES,
  intentDigest,
  intentDomain,
  quoteFee,
  tokenOfAsset,
  type Asset,
} from '@causeway/protocol';
import { bridgeLockAbi, bridgeMintAbi } from '@causeway/protocol/abi';
import type { Store } from '@causeway/store';
import { encodeFunctionData, erc20Abi, maxUint256, parseAbi, type Hex } from 'viem';
import { BOOK, ROLES, send, type SimulatedBridge } from '../bridge.ts';
import { Account } from '../chain/account.ts';
import { CONFIRMATIONS } from './configuration.ts';

/** The people who use the bridge. */
export const USERS = [new Account('alice'), new Account('bob'), new Account('carol')] as const;

/** A lifetime of intents, in milliseconds. */
export const INTENT_WINDOW_MS = 36_000;
/** A payment may come so long after its intent was registered. */
export const LATEST_PAYMENT_MS = INTENT_WINDOW_MS + 15_000;
const FIRST_TOKENS = 10n ** 30n;
const mintAbi = parseAbi(['function mint(address to, uint256 amount)']);

/** An intent that was accepted. */
export interface Accepted {
  readonly id: Hex;
  readonly amount: bigint;
  readonly expiresAtMs: number;
}

/** What the users do on the chains, and by the API. */
export class Users {
  private readonly bridge: SimulatedBridge;
  private readonly api: Store;
  private readonly now: () => number;
  private count = 0;

  /** @param api the store as the API's process has it. */
  constructor(bridge: SimulatedBridge, api: Store, now: () => number) {
    this.bridge = bridge;
    this.api = api;
    this.now = now;
  }

  /** Gives everybody tokens on Ethereum, and BridgeLock an allowance of them. */
  equip(): void {
    const { ethereum } = this.bridge;
    for (const asset of ['USDC', 'XCN'] as const) {
      const to = tokenOfAsset(BOOK, 'ethereum', asset);
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

  deposit(user: Account, asset: Asset, amount: bigint): void {
    const [to, abi] = [BOOK.ethereum.bridgeLock, bridgeLockAbi] as const;
    const { address } = user;
    const call =
      asset === 'ETH'
        ? { value: amount, data: encodeFunctionData({ abi, functionName: 'depositNative', args: [address] }) }
        : {
            data: encodeFunctionData({
              abi,
              functionName: 'deposit',
              args: [tokenOfAsset(BOOK, 'ethereum', asset), amount, address],
            }),
          };
    send(this.bridge.ethereum, user, { to, ...call });
  }

  /** Burns a bridged token, or withdraws native XCN. */
  withdraw(user: Account, asset: Asset, amount: bigint): void {
    const [to, abi, recipient] = [BOOK.partner.bridgeMint, bridgeMintAbi, user.address] as const;
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
              args: [tokenOfAsset(BOOK, 'partner', asset), amount, recipient, amount],
            }),
          };
    send(this.bridge.partner, user, { to, ...call });
  }

  /** Sends native XCN to the relayer wallet. */
  payWallet(user: Account, amount: bigint, memo: Hex = '0x'): Hex {
    return send(this.bridge.partner, user, { to: BOOK.relayer, value: amount, data: memo });
  }

  /** Sends something to the relayer wallet on Ethereum, by mistake. */
  lose(user: Account, asset: 'ETH' | 'USDC', amount: bigint): void {
    const { ethereum } = this.bridge;
    if (asset === 'ETH') return void send(ethereum, user, { to: BOOK.relayer, value: amount });
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [BOOK.relayer, amount] });
    send(ethereum, user, { to: tokenOfAsset(BOOK, 'ethereum', asset), data });
  }

  /** Registers an intent, as the API does after its checks. Null when the store refuses it. */
  async registerIntent(user: Account, amount: bigint): Promise<Accepted | null> {
    const nonce = `intent ${this.count++}`;
    const expiresAtMs = this.now() + INTENT_WINDOW_MS;
    const [sender, recipient, deadline] = [user.address, user.address, BigInt(Math.floor(expiresAtMs / 1_000))];
    const id = intentDigest(intentDomain(BOOK.partner), { sender, recipient, amount, deadline, nonce });
    const policy = { ...DEFAULT_FEE_POLICIES.XCN, maxAmount: maxUint256 };
    const { fee, outputAmount, bps } = quoteFee(policy, amount, 'PARTNER_TO_ETHEREUM');
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
    const accepted = await this.api.intents.register(terms, {
      id,
      sender,
      nonce,
      idempotencyKey: nonce,
      deadlineSeconds: deadline,
      signature: user.signDigest(id),
      clientIp: '203.0.113.1',
      mostOpenOfClient: 100,
      expiresAt: new Date(Number(deadline) * 1_000),
    });
    return accepted ? { id, amount, expiresAtMs: Number(deadline) * 1_000 } : null;
  }

  /** Names the transaction that pays an intent, as `bind-origin` does. */
  async bind(id: Hex, originTxHash: Hex): Promise<void> {
    await this.api.intents.proposeOrigin(id, originTxHash, null);
  }

  /** An amount of an asset that no other operation has, above every minimum. */
  nextAmount(asset: Asset): bigint {
    this.count += 1;
    const { minAmount } = DEFAULT_FEE_POLICIES[asset];
    return 2n * minAmount + BigInt(this.count) * assetInfo(asset).granularity;
  }
}
