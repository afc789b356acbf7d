import { HttpRequestError, keccak256, numberToHex, RpcRequestError, toHex, zeroHash, type Hex } from 'viem';
import { headerHash } from '../src/blocks/header.js';
import type { RpcHeader } from '../src/blocks/rpc-shapes.js';

/** Chain id of the scripted nodes, unless a test changes it. */
export const CHAIN_ID = 31_337;
/** The gateway's refusal of a call in a batch. */
const LIMITED = { code: -32_005, message: 'Rate limit exceeded: 100 calls in 1 s; try again in 0.4 s' };

/** A node that answers from a script. A test changes its fields while it runs. */
export class ScriptedNode {
  chainId = CHAIN_ID;
  head = 100n;
  /** Changes the hashes from block `forkedAt` on, as on another branch. */
  branch = '';
  forkedAt = 0n;
  mode: 'up' | 'down' | 'hangs' | 'limits' | 'refuses' = 'up';
  readonly asked: string[] = [];
  private readonly held: (() => void)[] = [];

  /** Answers the requests that were pending while it hung. */
  goOn(): void {
    this.mode = 'up';
    for (const answer of this.held.splice(0)) answer();
  }

  request = async ({ method, params }: { method: string; params?: unknown }): Promise<unknown> => {
    this.asked.push(method);
    if (this.mode === 'hangs') await new Promise<void>((resolve) => this.held.push(resolve));
    if (this.mode === 'down') throw new HttpRequestError({ url: 'http://node.example/key', details: 'refused' });
    if (this.mode === 'refuses') throw new HttpRequestError({ url: 'http://node.example/key', status: 429 });
    if (this.mode === 'limits') throw new RpcRequestError({ body: {}, url: 'http://node.example/key', error: LIMITED });
    switch (method) {
      case 'eth_chainId':
        return numberToHex(this.chainId);
      case 'eth_blockNumber':
        return numberToHex(this.head);
      case 'eth_getBlockByNumber':
        return this.block(BigInt((params as [Hex])[0]));
      default:
        return `${method} of ${this.branch}`;
    }
  };

  private block(number: bigint): RpcHeader | null {
    if (number > this.head) return null;
    const branch = number < this.forkedAt ? '' : this.branch;
    const header = {
      number: numberToHex(number),
      parentHash: zeroHash,
      sha3Uncles: zeroHash,
      miner: '0x0000000000000000000000000000000000000000',
      stateRoot: keccak256(toHex(branch)),
      transactionsRoot: zeroHash,
      receiptsRoot: zeroHash,
      logsBloom: `0x${'00'.repeat(256)}`,
      difficulty: '0x0',
      gasLimit: '0x0',
      gasUsed: '0x0',
      timestamp: numberToHex(1_000n + number),
      extraData: '0x',
      mixHash: zeroHash,
      nonce: '0x0000000000000000',
    } as unknown as RpcHeader;
    return { ...header, hash: headerHash(header) };
  }
}
