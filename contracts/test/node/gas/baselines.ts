/**
 * The highest gas of a call, with all safety features: 300 above the first edition for single calls, and the bounds of
 * the second edition's own. Each function that the third edition adds makes finding another one 22 dearer, and with the
 * succession the contracts fit with fewer optimizer runs only (decision 0034).
 */
export const GAS_GOALS: Readonly<Record<string, number>> = {
  deposit: 54_357,
  depositNative: 33_114,
  release: 57_932,
  releaseNative: 49_588,
  mint: 55_062,
  burn: 50_362,
  'burn, after a rotation': 50_362,
  'burn, after a retirement': 50_362,
  // It marks the transfer as well as the intent: a new slot each.
  releaseIntent: 101_900,
  'transfer of a bridged token': 34_499,
  'release, one of ten': 19_899,
  'mint, one of ten': 19_299,
};

/** The gas that attesters may add to an item of a batch of ten. */
export const ATTESTER_GOALS: Readonly<Record<string, number>> = { 'one attester': 1_200, 'three attesters': 2_500 };

/** The contracts before the second edition (gas-snapshot.json of 2026-11-21), each delivery alone. */
const FIRST_EDITION: Readonly<Record<string, number>> = {
  deposit: 53_857,
  'deposit (TestUSDC)': 58_191,
  depositNative: 32_814,
  release: 57_520,
  'release (TestUSDC)': 61_830,
  releaseNative: 49_288,
  releaseIntent: 74_037,
  mint: 54_762,
  'mint (native XCN)': 48_726,
  'release, to a new account': 74_428,
  'release (TestUSDC), to a new account': 78_738,
  'releaseNative, to a new account': 74_096,
  'releaseIntent, to a new account': 90_945,
  'mint, to a new account': 71_670,
  'mint (native XCN), to a new account': 73_534,
  burn: 49_948,
  retire: 41_694,
  'collectFees (ETH)': 43_302,
  'transfer of a bridged token': 40_424,
  'transfer of TestXCN': 34_117,
  'burn, after a rotation': 52_133,
};

/**
 * Deliveries of an ERC-20 by other bridges, measured in the same EVM (issue 12): a fill of Across' SpokePool, and what
 * CCIP's token pools add to release or mint.
 */
const OTHER_BRIDGES = { across: 85_439, ccipRelease: 75_564, ccipMint: 69_287 } as const;

/** The figure of the first edition to compare a call with: a batch's item with the delivery alone. */
export function findFirstEditionGas(call: string): number | undefined {
  const [kind = ''] = call.split(', one of ten');
  // The first edition paid native XCN with the coin sent along only, and burned in one way.
  const [plain = ''] = kind.split(', from the float');
  return FIRST_EDITION[call] ?? FIRST_EDITION[plain] ?? FIRST_EDITION[plain.split(', after a')[0] ?? ''];
}

/** The figure of another bridge to compare a delivery of an ERC-20 with. */
export function listOtherBridges(call: string): Readonly<Record<string, number>> {
  const { across, ccipRelease, ccipMint } = OTHER_BRIDGES;
  if (/^release(?!Native)/.test(call)) return { Across: across, CCIP: ccipRelease };
  if (/^mint(?! \(native)/.test(call)) return { Across: across, CCIP: ccipMint };
  return {};
}
