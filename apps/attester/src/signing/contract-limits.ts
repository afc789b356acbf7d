import { ConfigurationError } from '@causeway/service/configuration';
import { formatAmount } from '@causeway/protocol';
import type { Side, Verifier } from '@causeway/verifier';
import type { AssetLimits } from '../configuration/configuration.js';
import { readHead, readView } from './chain-state.js';

const HOUR_SECONDS = 3_600n;
const SIDES = ['ethereum', 'partner'] as const;

/** The most of an asset that a contract pays, in atomic units. */
interface ContractLimits extends AssetLimits {
  readonly side: Side;
  readonly asset: string;
}

/**
 * Reads the limits of both contracts. A leaky bucket allows its capacity immediately, and drains once per window.
 * Assets without capacity are left out: the contract pays none.
 *
 * @throws NoQuorumError
 */
async function readContractLimits(verifier: Verifier): Promise<readonly ContractLimits[]> {
  const found = await Promise.all(
    SIDES.map(async (side) => {
      const head = await readHead(verifier, side);
      return Promise.all(
        verifier.settings.assets.map(async ({ symbol: asset, tokens }) => {
          const answer = await readView(verifier, side, head, 'outflowLimit', [tokens[side]]);
          const [delivery, window] = answer as readonly [bigint, bigint];
          const hour = delivery + (window === 0n ? 0n : (delivery * HOUR_SECONDS) / window);
          return { side, asset, delivery, hour };
        }),
      );
    }),
  );
  return found.flat().filter(({ delivery }) => delivery > 0n);
}

/**
 * Finds own limits above the contracts' limits, which would have no effect. One line each.
 *
 * @throws NoQuorumError
 */
export async function findLimitProblems(
  verifier: Verifier,
  limits: ReadonlyMap<string, AssetLimits>,
): Promise<readonly string[]> {
  const contracts = await readContractLimits(verifier);
  return contracts.flatMap(({ side, asset, hour, delivery }) => {
    const own = limits.get(asset);
    if (own === undefined) return [];
    const describe = (variable: string, mine: bigint, most: bigint) =>
      mine <= most
        ? []
        : [
            `${variable} has ${formatAmount(asset, mine)} ${asset}, and the contract on ${side} pays at most ` +
              `${formatAmount(asset, most)}: lower it`,
          ];
    return [...describe('LIMITS_PER_DELIVERY', own.delivery, delivery), ...describe('LIMITS_PER_HOUR', own.hour, hour)];
  });
}

/** @throws ConfigurationError for limits above the contracts' limits; NoQuorumError when these cannot be read. */
export async function checkLimits(verifier: Verifier, limits: ReadonlyMap<string, AssetLimits>): Promise<void> {
  const problems = await findLimitProblems(verifier, limits);
  if (problems.length > 0) throw new ConfigurationError(problems);
}
