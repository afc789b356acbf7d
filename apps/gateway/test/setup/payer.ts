import { testAccount } from '@causeway/test-kit';
import { encodeDeployData, parseGwei, type Hex } from 'viem';
import { testUsdcAbi } from '@causeway/contracts/abi';
import { testUsdcBytecode } from '@causeway/contracts/bytecode';
import type { Backend } from '../../src/backends/backend.js';

const FEES = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: parseGwei('1') };
const TRIES = 200;
const PAUSE_MS = 25;

/** A funded account that signs transactions and sends them through a backend. */
export class Payer {
  readonly account = testAccount(0);

  constructor(private readonly chainId: number) {}

  async nonce(backend: Backend): Promise<number> {
    return Number(await backend.request('eth_getTransactionCount', [this.account.address, 'pending']));
  }

  sign(nonce: number, to: Hex, value: bigint): Promise<Hex> {
    return this.account.signTransaction({ to, value, nonce, gas: 21_000n, chainId: this.chainId, ...FEES });
  }

  /** Sends a transaction and returns its hash. */
  async send(backend: Backend, transaction: { readonly to?: Hex; readonly data: Hex }): Promise<Hex> {
    const nonce = await this.nonce(backend);
    const common = { nonce, gas: 2_000_000n, chainId: this.chainId, ...FEES };
    const raw = await this.account.signTransaction({ ...common, ...transaction });
    return (await backend.request('eth_sendRawTransaction', [raw])) as Hex;
  }

  /** Deploys a token and returns its address. */
  async deployToken(backend: Backend): Promise<Hex> {
    const hash = await this.send(backend, { data: encodeDeployData({ abi: testUsdcAbi, bytecode: testUsdcBytecode }) });
    return (await this.receipt(backend, hash)).contractAddress;
  }

  /** @throws Error when the transaction is not mined within five seconds. */
  async receipt(backend: Backend, hash: Hex): Promise<{ readonly contractAddress: Hex }> {
    for (let round = 0; round < TRIES; round++) {
      const found = await backend.request('eth_getTransactionReceipt', [hash]);
      if (found !== null) return found as { contractAddress: Hex };
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    throw new Error(`no receipt of ${hash}`);
  }
}
