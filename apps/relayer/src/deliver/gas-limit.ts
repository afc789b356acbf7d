/** What the contracts give a recipient of the native coin (DELIVERY_GAS, 50,000), and the 63rd part that the EVM asks for on top. */
const RECIPIENT_GAS = 52_000n;
/**
 * What crediting a refused delivery takes, with as much to spare: three slots written, two of them new, and an event
 * (22,100 + 22,100 + 5,000 + 2,600, EIP-2929 and EIP-2200).
 */
const CREDIT_GAS = 100_000n;

/**
 * The gas limit of a delivery. A recipient can tell an estimate from a block, take the payment cheaply in the one and burn
 * all it is given in the other, and a token can refuse between the two; with this limit the call then still succeeds by
 * crediting, once, instead of reverting and being paid for again and again. Gas that is not used costs nothing.
 *
 * @param estimate gas of the call as simulated, with its margin.
 */
export function gasLimit(estimate: bigint): bigint {
  return estimate + RECIPIENT_GAS + CREDIT_GAS;
}
