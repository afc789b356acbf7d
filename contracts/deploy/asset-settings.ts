import { z } from 'zod';
import type { Asset } from '../cli/amounts.js';

/** The assets of the bridge, in the order in which the contracts list them. */
export const ASSETS = ['ETH', 'USDC', 'XCN'] as const satisfies readonly Asset[];

/** Every amount of XCN is a multiple of ten to the power of this: the partner chain's EVM has 8 of its 18 decimals. */
export const XCN_GRANULARITY_EXPONENT = 10;

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
  /** Atomic units that may leave in one moment. */
  capacity: units,
  /** Seconds in which a used-up capacity refills. */
  windowSeconds: z
    .int()
    .min(MINUTE_SECONDS)
    .max(MOST_MINUTES * MINUTE_SECONDS)
    .multipleOf(MINUTE_SECONDS),
  /** Atomic units that an operation may have at most. */
  maxAmount: units,
});

const policy = z
  .strictObject({ bps: z.int().min(0).max(9_999), minFee: feeAmount, minAmount: feeAmount })
  .refine(({ minFee, minAmount }) => minAmount > minFee, 'minAmount must be above minFee');

function perAsset<T extends z.ZodType>(schema: T) {
  return z.strictObject({ ETH: schema, USDC: schema, XCN: schema });
}

/** The settings of a configuration that each asset has, the same on both chains. */
export const assetSettings = {
  /** Limits are whole multiples of ten to the power of this many atomic units. Fixed by the deployment. */
  unitExponents: perAsset(z.int().min(0).max(18)),
  feePolicies: perAsset(policy),
  /** The policy manager stays at or below these. */
  feeCeilings: perAsset(policy),
  limits: perAsset(limits),
  /** The policy manager stays at or below these; the window is the shortest that it may set. */
  limitCeilings: perAsset(limits),
};

/** The checked settings of all assets. */
type AssetSettings = z.output<z.ZodObject<typeof assetSettings>>;

/** Refuses settings that the contracts refuse, and limits under which an operation could never be delivered. */
export function checkAssetSettings(settings: AssetSettings, refuse: (path: string, message: string) => void): void {
  for (const asset of ASSETS) {
    const [unitExponent, own, ceiling] = [
      settings.unitExponents[asset],
      settings.limits[asset],
      settings.limitCeilings[asset],
    ];
    const unit = 10n ** BigInt(unitExponent);
    for (const [name, given] of [
      ['limits', own],
      ['limitCeilings', ceiling],
    ] as const) {
      for (const field of ['capacity', 'maxAmount'] as const) {
        const path = `${name}.${asset}.${field}`;
        if (given[field] % unit !== 0n) refuse(path, `must be a multiple of 10^${unitExponent}, the unit of ${asset}`);
        else if (given[field] / unit > MOST_UNITS) refuse(path, `must be below 2^32 units of 10^${unitExponent}`);
      }
    }
    for (const field of ['capacity', 'maxAmount'] as const) {
      if (own[field] > ceiling[field]) refuse(`limits.${asset}.${field}`, 'must not be above its ceiling');
    }
    if (own.windowSeconds < ceiling.windowSeconds) {
      refuse(`limits.${asset}.windowSeconds`, 'must not be shorter than that of limitCeilings');
    }
    if (own.capacity < own.maxAmount) {
      refuse(`limits.${asset}.capacity`, 'must not be below maxAmount: such an operation could never be delivered');
    }
    const [fee, feeCeiling] = [settings.feePolicies[asset], settings.feeCeilings[asset]];
    for (const field of ['bps', 'minFee', 'minAmount'] as const) {
      if (fee[field] > feeCeiling[field]) refuse(`feePolicies.${asset}.${field}`, 'must not be above its ceiling');
    }
    if (own.maxAmount < fee.minAmount) {
      refuse(`limits.${asset}.maxAmount`, 'must not be below the minAmount of the fee policy');
    }
  }
}
