import secp256k1 from 'secp256k1';
import { bytesToHex, hexToBytes, keccak256, numberToHex, toRlp, type Address, type Hex } from 'viem';

export type Json = Readonly<Record<string, unknown>>;

/** A transaction as its block commits to it, and in JSON-RPC. */
export interface Transaction {
  readonly hash: Hex;
  readonly encoded: Hex;
  readonly json: Json;
}

/** A key with its account. */
export interface Key {
  readonly address: Address;
  /** Signs a digest: 65 bytes. */
  readonly sign: (digest: Hex) => Hex;
}

/** Makes a key. Signatures are native and synchronous, since a simulated hour has many. */
export function makeKey(number: number): Key {
  const key = hexToBytes(numberToHex(number, { size: 32 }));
  const address = keccak256(secp256k1.publicKeyCreate(key, false).subarray(1)).slice(-40);
  return {
    address: `0x${address}`,
    sign: (digest) => {
      const { signature, recid } = secp256k1.ecdsaSign(hexToBytes(digest), key);
      return `${bytesToHex(signature)}${(27 + recid).toString(16)}`;
    },
  };
}

/** An integer in RLP. */
export function integer(value: number | bigint): Hex {
  const digits = BigInt(value) === 0n ? '' : value.toString(16);
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}

/** Signs a transaction of type 0. */
export function makeTransaction(
  { to, value = 0n, input = '0x' }: { readonly to: Address; readonly value?: bigint; readonly input?: Hex },
  nonce: number,
  key: Key,
): Transaction {
  const fields = [integer(nonce), '0x01', '0x01', to, integer(value), input] as const;
  const signature = key.sign(keccak256(toRlp(fields)));
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)].map((part) =>
    BigInt(`0x${part}`),
  ) as [bigint, bigint, bigint];
  const encoded = toRlp([...fields, integer(v), integer(r), integer(s)]);
  const seal = { v: numberToHex(v), r: numberToHex(r), s: numberToHex(s) };
  const json = {
    type: '0x0',
    nonce: numberToHex(nonce),
    gasPrice: '0x1',
    gas: '0x1',
    to,
    value: numberToHex(value),
    input,
  };
  const hash = keccak256(encoded);
  return { hash, encoded, json: { ...json, ...seal, hash } };
}
