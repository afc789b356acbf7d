/**
 * What the calls may cost at most, all safety features on. A straw man with packed slots, bitmap replay protection, a one-slot
 * bucket, a transient guard, fee accrual and balance checks measured 52,767 / 32,719 / 57,055 / 50,754 / 56,237 / 48,605.
 */
export const GAS_GOALS: Readonly<Record<string, number>> = {
  deposit: 54_000,
  depositNative: 33_500,
  release: 58_000,
  releaseNative: 52_000,
  mint: 57_000,
  burn: 50_000,
};
