import { readFileSync } from 'node:fs';

/** An address of one hexadecimal digit. */
export function addressOfDigit(digit: number): `0x${string}` {
  return `0x${digit.toString(16).repeat(40)}`;
}

/** The example of an environment, filled in, with something else in place of some of it. */
export function exampleConfig(environment: 'testnet' | 'mainnet', over: object = {}): Record<string, unknown> {
  const file = new URL(`../deploy/config/${environment}.example.json`, import.meta.url);
  const names: string[] = [];
  const text = readFileSync(file, 'utf8').replaceAll(/<[A-Z_]+>/g, (name) => {
    if (!names.includes(name)) names.push(name);
    return addressOfDigit(names.indexOf(name) + 1);
  });
  return { ...JSON.parse(text), ...over };
}
