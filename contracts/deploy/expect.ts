import type { Address, Hex, PublicClient } from 'viem';

/** Creation code that returns msg.value as the code: CALLVALUE PUSH0 MSTORE PUSH1 32 PUSH0 RETURN. */
const VALUE_AS_CODE: Hex = '0x345f5260205ff3';
/** The smallest value that an EVM with 8 decimals can represent, in wei of the RPC. */
const PROBE_WEI = 10n ** 10n;

/** The compiled code of a contract, and where its constructor writes immutables. */
interface CompiledCode {
  readonly code: Hex;
  /** Byte ranges that the constructor writes. */
  readonly immutables: readonly { readonly start: number; readonly length: number }[];
}

/**
 * Compares a value on a chain with the expected one. Values are equal when they print the same in any letter case, so
 * numbers of any type, and addresses with or without checksum, compare equal.
 *
 * @throws Error naming the difference.
 */
export function expectSame(name: string, found: unknown, meant: unknown): void {
  const [actual, wanted] = [String(found).toLowerCase(), String(meant).toLowerCase()];
  if (actual !== wanted) throw new Error(`The ${name} is ${actual} on the chain, but should be ${wanted}`);
}

/**
 * Compares the code at an address with the compiled code.
 *
 * @throws Error naming the contract when the code differs.
 */
export async function expectCode(
  client: PublicClient,
  name: string,
  address: Address,
  code: CompiledCode,
): Promise<void> {
  if (matchesCode(await client.getCode({ address }), code)) return;
  throw new Error(`The code of ${name} at ${address} is not the compiled code`);
}

/** Whether the code on a chain is the compiled code, apart from immutables. */
export function matchesCode(found: Hex | undefined, { code, immutables }: CompiledCode): boolean {
  return found !== undefined && blankImmutables(found, immutables) === blankImmutables(code, immutables);
}

/**
 * Reads the unit in which a chain's EVM counts its coin, in wei of the RPC, by a call to that EVM.
 *
 * @param payer an account with some native coin; nothing is sent.
 * @throws Error when the chain does not show it.
 */
export async function readNativeUnit(client: PublicClient, payer: Address): Promise<bigint> {
  const { data } = await client.call({ account: payer, data: VALUE_AS_CODE, value: PROBE_WEI });
  if (data === undefined || BigInt(data) === 0n)
    throw new Error('The chain does not show in which unit its EVM counts the native coin');
  return PROBE_WEI / BigInt(data);
}

/**
 * Compares the unit in which a chain's EVM counts its coin with the configured unit. With a wrong unit, every delivery
 * of native coin would be wrong by a factor of 10^10, or impossible.
 *
 * @param payer an account with some native coin; nothing is sent.
 * @throws Error naming both units when they differ.
 */
export async function expectNativeUnit(client: PublicClient, payer: Address, meant: bigint): Promise<void> {
  expectSame('native unit', await readNativeUnit(client, payer), meant);
}

function blankImmutables(code: Hex, immutables: CompiledCode['immutables']): string {
  const digits = code.toLowerCase().slice(2).split('');
  for (const { start, length } of immutables) digits.fill('0', 2 * start, 2 * (start + length));
  return digits.join('');
}
