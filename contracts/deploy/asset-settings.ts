import { z } from 'zod';
import { furtherAssets } from './address-book-schema.js';
import type { Asset, FurtherAsset } from './assets.js';

/** The contracts count a limit in 32 bits of the asset's unit. */
const MOST_UNITS = 2n ** 32n - 1n;
/** The contracts store a window in 16 bits of minutes. */
const MINUTE_SECONDS = 60;
const MOST_MINUTES = 65_535;
/** The contracts store the amounts of a fee policy in 96 bits. */
const MOST_FEE = 2n ** 96n - 1n;

const units = z.string().regex(/^\d+$/).transform(BigInt);
const feeAmount = units.refine((amount) => amount <= MOST_FEE, 'must be below 2^96');

const limits = z.strictObject({
  /** Atomic units that can leave at once. */
  capacity: units,
  /** Seconds in which a used-up capacity refills. */
  windowSeconds: z
    .int()
    .min(MINUTE_SECONDS)
    .max(MOST_MINUTES * MINUTE_SECONDS)
    .multipleOf(MINUTE_SECONDS),
  /** Maximum of an operation in atomic units. */
  maxAmount: units,
});

const policy = z
  .strictObject({ bps: z.int().min(0).max(9_999), minFee: feeAmount, minAmount: feeAmount })
  .refine(({ minFee, minAmount }) => minAmount > minFee, 'minAmount must be above minFee');

function perAsset<T extends z.ZodType>(schema: T) {
  return z.strictObject({ ETH: schema, USDC: schema, XCN: schema });
}

const unitExponent = z.int().min(0).max(18);

/** The settings of each asset, the same on both chains. */
export const assetSettings = {
  /** Limits are multiples of 10^unitExponent atomic units. The deployment fixes it. */
  unitExponents: perAsset(unitExponent),
  feePolicies: perAsset(policy),
  /** The policy manager cannot exceed these. */
  feeCeilings: perAsset(policy),
  limits: perAsset(limits),
  /** The policy manager cannot exceed these, or set a shorter window. */
  limitCeilings: perAsset(limits),
  /**
   * Assets in addition to those of the specification, ERC-20 tokens on both sides. An entry has all settings of an
   * asset.
   */
  assets: furtherAssets(
    z.strictObject({
      /** Name of the bridged token. */
      name: z.string().min(1),
      /** The token on Ethereum. */
      token: z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)]),
      decimals: z.int().min(0).max(18),
      dust: units,
      unitExponent,
      feePolicy: policy,
      feeCeiling: policy,
      limits,
      limitCeiling: limits,
    }),
  ).default({}),
};

/** The settings of one asset. */
export interface AssetSettings {
  readonly unitExponent: number;
  readonly feePolicy: z.output<typeof policy>;
  readonly feeCeiling: z.output<typeof policy>;
  readonly limits: z.output<typeof limits>;
  readonly limitCeiling: z.output<typeof limits>;
}

/** The settings of every asset, in the order in which the contracts list them. */
export function listSettings(
  config: z.output<z.ZodObject<typeof assetSettings>>,
): readonly (readonly [Asset, AssetSettings])[] {
  const { unitExponents, feePolicies, feeCeilings, limits: own, limitCeilings } = config;
  const specified = (['ETH', 'USDC', 'XCN'] as const).map((asset) => {
    const settings = {
      unitExponent: unitExponents[asset],
      feePolicy: feePolicies[asset],
      feeCeiling: feeCeilings[asset],
      limits: own[asset],
      limitCeiling: limitCeilings[asset],
    };
    return [asset, settings] as const;
  });
  return [...specified, ...Object.entries(config.assets)];
}

/** The further assets of a configuration, in the form of the address book. */
export function getFurtherAssets({ assets }: Pick<z.output<z.ZodObject<typeof assetSettings>>, 'assets'>) {
  const entries = Object.entries(assets).map(([asset, { decimals, dust }]) => [asset, { decimals, dust: `${dust}` }]);
  return Object.fromEntries(entries) as Readonly<Record<Asset, FurtherAsset>>;
}

/** Refuses settings that the contracts would refuse, and limits under which an operation could never be delivered. */
export function checkAssetSettings(
  config: z.output<z.ZodObject<typeof assetSettings>>,
  refuse: (path: string, message: string) => void,
): void {
  for (const [asset, settings] of listSettings(config)) {
    const { unitExponent: exponent, limits: own, limitCeiling: ceiling } = settings;
    const unit = 10n ** BigInt(exponent);
    for (const [name, given] of [
      ['limits', own],
      ['limitCeilings', ceiling],
    ] as const) {
      for (const field of ['capacity', 'maxAmount'] as const) {
        const path = `${name}.${asset}.${field}`;
        if (given[field] % unit !== 0n) refuse(path, `must be a multiple of 10^${exponent}, the unit of ${asset}`);
        else if (given[field] / unit > MOST_UNITS) refuse(path, `must be below 2^32 units of 10^${exponent}`);
      }
    }
    for (const field of ['capacity', 'maxAmount'] as const) {
      if (own[field] > ceiling[field]) refuse(`limits.${asset}.${field}`, 'must not be above its ceiling');
    }
    if (own.windowSeconds < ceiling.windowSeconds) {
      refuse(`limits.${asset}.windowSeconds`, 'must not be shorter than the window of limitCeilings');
    }
    if (own.capacity < own.maxAmount) {
      refuse(`limits.${asset}.capacity`, 'must not be below maxAmount: such an operation could never be delivered');
    }
    const { feePolicy: fee, feeCeiling } = settings;
    for (const field of ['bps', 'minFee', 'minAmount'] as const) {
      if (fee[field] > feeCeiling[field]) refuse(`feePolicies.${asset}.${field}`, 'must not be above its ceiling');
    }
    const dust = config.assets[asset]?.dust ?? 0n;
    if (dust >= fee.minAmount) refuse(`assets.${asset}.dust`, 'must be below the minAmount of the fee policy');
    if (own.maxAmount < fee.minAmount) {
      refuse(`limits.${asset}.maxAmount`, 'must not be below the minAmount of the fee policy');
    }
  }
}
