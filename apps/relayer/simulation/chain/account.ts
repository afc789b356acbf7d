import { createECDH } from 'node:crypto';
import type { Signer } from '@causeway/chain';
import { keccak256 } from '@causeway/partner-chain';
import { bytesToHex, hashTypedData, stringToBytes, type Address, type Hex } from 'viem';
import { computeAddress, signDigest, signTransaction, type UnsignedTransaction } from './transactions.ts';

/** An account whose key is derived from its name. */
export class Account {
  readonly name: string;
  readonly address: Address;
  private readonly key: Uint8Array;

  constructor(name: string) {
    this.name = name;
    this.key = keccak256(stringToBytes(name));
    const pair = createECDH('secp256k1');
    pair.setPrivateKey(this.key);
    this.address = computeAddress(pair.getPublicKey());
  }

  /** For libraries that sign other things than transactions. */
  get privateKey(): Hex {
    return bytesToHex(this.key);
  }

  /** The account as the relayer's signer. */
  get signer(): Signer {
    const complete = (value: bigint | undefined) => value ?? 0n;
    return {
      address: this.address,
      signTransaction: async ({ chainId, nonce, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas }) =>
        this.sign({
          chainId,
          nonce: nonce ?? 0,
          to: to ?? null,
          input: data ?? '0x',
          value: complete(value),
          gas: complete(gas),
          maxFeePerGas: complete(maxFeePerGas),
          maxPriorityFeePerGas: complete(maxPriorityFeePerGas),
        }),
      signTypedData: async (data) => this.signDigest(hashTypedData(data)),
    };
  }

  /** Signs a 32-byte digest, such as one of EIP-712. */
  signDigest(digest: Hex): Hex {
    return signDigest(digest, this.key);
  }

  sign(transaction: UnsignedTransaction): { readonly raw: Hex; readonly hash: Hex } {
    return signTransaction(transaction, this.key);
  }
}
