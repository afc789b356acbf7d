/** The highest allowed gas of each call, with all safety features. */
export const GAS_GOALS: Readonly<Record<string, number>> = {
  deposit: 54_357,
  depositNative: 33_114,
  release: 57_932,
  releaseNative: 49_588,
  mint: 55_062,
  burn: 50_362,
  'burn, after a rotation': 50_362,
  'burn, after a retirement': 50_362,
  // Marks both intent and transfer: a new slot each.
  releaseIntent: 101_900,
  'transfer of a bridged token': 34_499,
  'release, one of ten': 19_899,
  'mint, one of ten': 19_299,
};

/** The gas that attesters may add to an item of a batch of ten. */
export const ATTESTER_GOALS: Readonly<Record<string, number>> = { 'one attester': 1_200, 'three attesters': 2_500 };

/**
 * Deliveries of an ERC-20 by other bridges, measured in the same EVM: a fill of Across' SpokePool, and what CCIP's
 * token pools add to release or mint.
 */
const OTHER_BRIDGES = { across: 85_439, ccipRelease: 75_564, ccipMint: 69_287 } as const;

/** The gas of other bridges for the same delivery of an ERC-20. */
export function listOtherBridges(call: string): Readonly<Record<string, number>> {
  const { across, ccipRelease, ccipMint } = OTHER_BRIDGES;
  if (/^release(?!Native)/.test(call)) return { Across: across, CCIP: ccipRelease };
  if (/^mint(?! \(native)/.test(call)) return { Across: across, CCIP: ccipMint };
  return {};
}
