import type { Environment } from '@causeway/testbed';
import { keccak256, type Address, type Hex, type TransactionReceipt } from 'viem';
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';

const FEE_FACTOR = 5n;

/** A transaction to send. */
interface Call {
  readonly to: Address;
  readonly data?: Hex;
  /** In wei. */
  readonly value?: bigint;
  readonly gas: bigint;
}

/** A user's wallet that counts nonces locally and resends transactions that a reorg removed. */
export class Wallet {
  readonly address: Address;
  private readonly account: PrivateKeyAccount;
  private readonly chain: Environment['ethereum' | 'partner'];
  private readonly chainId: number;
  private readonly sent: { readonly raw: Hex; readonly nonce: number }[] = [];
  private fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
  private nonce = 0;
  private last: Promise<unknown> = Promise.resolve();

  private constructor(chain: Wallet['chain'], chainId: number, account: PrivateKeyAccount) {
    this.chain = chain;
    this.chainId = chainId;
    this.account = account;
    this.address = account.address.toLowerCase() as Address;
  }

  static async open(chain: Wallet['chain'], chainId: number, privateKey: Hex): Promise<Wallet> {
    const wallet = new Wallet(chain, chainId, privateKeyToAccount(privateKey));
    const { maxFeePerGas, maxPriorityFeePerGas } = await chain.client.estimateFeesPerGas();
    wallet.fees = { maxFeePerGas: FEE_FACTOR * maxFeePerGas, maxPriorityFeePerGas };
    wallet.nonce = await chain.client.getTransactionCount({ address: wallet.address });
    return wallet;
  }

  /** Signs and sends, without waiting for a block. */
  async send(call: Call): Promise<Hex> {
    const sending = this.last.then(async () => {
      const nonce = this.nonce++;
      const { chainId, fees } = this;
      const raw = await this.account.signTransaction({ ...call, ...fees, chainId, nonce, type: 'eip1559' });
      this.sent.push({ raw, nonce });
      // A transaction that does not arrive is resent later.
      await this.chain.client.sendRawTransaction({ serializedTransaction: raw }).catch(() => undefined);
      return keccak256(raw);
    });
    this.last = sending.catch(() => undefined);
    return sending;
  }

  /** Resends every transaction that is in no block. */
  async sendAgain(): Promise<void> {
    const mined = await this.chain.client.getTransactionCount({ address: this.address });
    for (const { raw } of this.sent.filter(({ nonce }) => nonce >= mined)) {
      // Most are in the pool, and the node refuses them as already known.
      await this.chain.client.sendRawTransaction({ serializedTransaction: raw }).catch(() => undefined);
    }
  }

  async mined(hash: Hex): Promise<TransactionReceipt> {
    const receipt = await this.chain.client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`The transaction ${hash} of ${this.address} reverted`);
    return receipt;
  }
}
