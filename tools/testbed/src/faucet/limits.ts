import { RateLimiter, type Client } from '@causeway/service/http';
import type { Address } from 'viem';
import type { FaucetAsset } from './configuration.js';
import { FaucetError } from './faucet-error.js';

const DAY_SECONDS = 86_400;

interface LimitOptions {
  readonly assets: readonly FaucetAsset[];
  readonly windowSeconds: number;
  /** 0 for no limit. */
  readonly dripsPerClient: number;
}

/**
 * The faucet's limits, counted in the memory of this process: one drip for each asset and address in a window, several
 * for a client, and the daily total of each asset.
 */
export class DripLimits {
  private readonly days: ReadonlyMap<FaucetAsset, RateLimiter>;
  private readonly clients: RateLimiter;
  private readonly addresses: RateLimiter;

  constructor({ assets, windowSeconds, dripsPerClient }: LimitOptions) {
    this.days = new Map(
      assets.map((asset) => [asset, makeLimiter(Number(asset.mostPerDay / asset.amount), DAY_SECONDS)]),
    );
    this.clients = makeLimiter(dripsPerClient, windowSeconds);
    this.addresses = makeLimiter(1, windowSeconds);
  }

  /**
   * Counts a drip before it is sent.
   *
   * @returns a function that takes the count back, for a drip that was not sent.
   * @throws FaucetError LIMIT_REACHED. The drip is then not counted.
   */
  async take(asset: FaucetAsset, address: Address, { key, isExempt }: Client): Promise<() => Promise<void>> {
    const { chain, asset: symbol } = asset;
    const day = this.days.get(asset);
    // Addresses come last: requests refused by another limit must not displace the counts of addresses.
    const limits = [
      ...(day === undefined ? [] : [[day, '', `all requests for ${symbol} on ${chain}`] as const]),
      ...(isExempt ? [] : [[this.clients, key, 'a client'] as const]),
      [this.addresses, `${chain} ${symbol} ${address.toLowerCase()}`, `${symbol} on ${chain} to an address`] as const,
    ];
    const taken: (() => Promise<void>)[] = [];
    const giveBack = async () => {
      await Promise.all(taken.map((undo) => undo()));
    };
    for (const [limiter, counted, subject] of limits) {
      const { admitted, refusal, retryAfterMs } = await limiter.take(counted, 1);
      taken.push(() => limiter.uncount(counted));
      if (admitted === 1) continue;
      await giveBack();
      const retryAfterSeconds = Math.ceil(retryAfterMs / 1_000);
      throw new FaucetError('LIMIT_REACHED', `The limit of ${subject} is ${refusal}`, { retryAfterSeconds });
    }
    return giveBack;
  }
}

function makeLimiter(calls: number, seconds: number): RateLimiter {
  const limits = { windows: [{ calls, seconds }], unit: calls === 1 ? 'drip' : 'drips', keyPrefix: 'causeway:faucet' };
  return new RateLimiter(limits, { redis: null, onRefused: () => undefined, onRedisFailed: () => undefined });
}
