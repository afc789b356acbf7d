import type { Signer } from '@causeway/chain/signers';
import { sentinelAbi } from '@causeway/contracts/abi';
import type { Heads, Node, Side, Verifier } from '@causeway/verifier';
import { encodeFunctionData, hexToBigInt, numberToHex, type Address, type Hex } from 'viem';

/** How long a pending pause waits before its fees are raised. Short, since every minute counts. */
const REPLACE_AFTER_MS = 20_000;
/** Gas limit. Three storage reads of other contracts, two writes and two events need 60,000. */
const PAUSE_GAS = 150_000n;
/** Stops deliveries and new operations: a theft shows that keys are stolen, and a deposit may not be paid any more. */
const PAUSE_BOTH = encodeFunctionData({ abi: sentinelAbi, functionName: 'pause', args: [true, true] });

interface SentPause {
  readonly raw: Hex;
  readonly hash: Hex;
  readonly nonce: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly atMs: number;
}

export interface PauserParts {
  readonly verifier: Verifier;
  readonly signer: Signer;
  readonly sentinels: Readonly<Record<Side, Address>>;
  /** Wei per gas. */
  readonly maxFeePerGas: bigint;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called for each transaction that was sent, with the problems of the nodes that refused it. */
  readonly onSent: (side: Side, hash: Hex, problems: readonly string[]) => void;
}

/**
 * Sends the transactions that pause the contracts. It needs no journal: the contracts show their pauses, and pausing
 * twice does no harm.
 */
export class PauseSender {
  private readonly sent: Partial<Record<Side, SentPause>> = {};

  constructor(private readonly parts: PauserParts) {}

  /**
   * Sends a pause to every node of a chain; 20 seconds later, with higher fees.
   *
   * @throws NoQuorumError
   */
  async pause(side: Side, head: Heads[Side]): Promise<void> {
    const { verifier, signer, now } = this.parts;
    const earlier = this.sent[side];
    if (earlier !== undefined && now() - earlier.atMs < REPLACE_AFTER_MS) return;
    const nonce = await verifier.readers[side].agree("the pauser's nonce", async (ask) =>
      hexToBigInt((await ask('eth_getTransactionCount', [signer.address, numberToHex(head.number)])) as Hex),
    );
    const next = await this.sign(side, nonce, earlier?.nonce === nonce ? earlier : null);
    this.sent[side] = next;
    const sent = await Promise.allSettled(
      verifier.readers[side].nodes.map(async (node) => request(node, 'eth_sendRawTransaction', [next.raw])),
    );
    const problems = sent.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []));
    this.parts.onSent(side, next.hash, problems);
  }

  /** @param pending the transaction to replace. At the cap of the fees, it is sent again as it is. */
  private async sign(side: Side, nonce: bigint, pending: SentPause | null): Promise<SentPause> {
    const { verifier, signer, sentinels, maxFeePerGas: cap, now } = this.parts;
    const { nodes } = verifier.readers[side];
    const raise = (fee: bigint) => fee + fee / 8n + 1n;
    const tip = await median(nodes, 'eth_maxPriorityFeePerGas');
    const price = await median(nodes, 'eth_gasPrice');
    // The base fee may double, which takes at least six full blocks.
    const maxPriorityFeePerGas = smaller(larger(tip, raise(pending?.maxPriorityFeePerGas ?? 0n)), cap);
    const maxFeePerGas = smaller(larger(2n * price, raise(pending?.maxFeePerGas ?? 0n), maxPriorityFeePerGas), cap);
    if (pending !== null && maxFeePerGas < raise(pending.maxFeePerGas)) return { ...pending, atMs: now() };
    const { raw, hash } = await signer.signTransaction({
      type: 'eip1559',
      chainId: verifier.settings[side].chainId,
      to: sentinels[side],
      data: PAUSE_BOTH,
      value: 0n,
      nonce: Number(nonce),
      gas: PAUSE_GAS,
      maxFeePerGas,
      maxPriorityFeePerGas,
    });
    return { raw, hash, nonce, maxFeePerGas, maxPriorityFeePerGas, atMs: now() };
  }
}

/** Simulates the pause of a chain's contract on each node. @returns the problem of each node, or null. */
export async function rehearsePause(
  { nodes }: { readonly nodes: readonly Node[] },
  pauser: Address,
  sentinel: Address,
): Promise<readonly { readonly node: string; readonly problem: unknown }[]> {
  const call = { from: pauser, to: sentinel, data: PAUSE_BOTH, gas: numberToHex(PAUSE_GAS) };
  return Promise.all(
    nodes.map(async (node) => {
      const problem = await request(node, 'eth_call', [call, 'latest']).then(
        () => null,
        (error: unknown) => error,
      );
      return { node: node.name, problem };
    }),
  );
}

/** How many pauses at the highest fee the pauser's coin on a chain pays for. */
export async function countAffordablePauses(
  { readers }: Verifier,
  side: Side,
  pauser: Address,
  maxFeePerGas: bigint,
): Promise<number> {
  const head = numberToHex(await readers[side].head());
  const balance = await readers[side].agree("the pauser's coin", async (ask) =>
    hexToBigInt((await ask('eth_getBalance', [pauser, head])) as Hex),
  );
  return Number(balance / (PAUSE_GAS * maxFeePerGas));
}

/** Half of the nodes can be wrong about fees without raising them to the cap. */
async function median(nodes: readonly Node[], method: string): Promise<bigint> {
  const answers = await Promise.allSettled(nodes.map(async (node) => BigInt((await request(node, method, [])) as Hex)));
  const known = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  return known.toSorted((a, b) => (a < b ? -1 : 1))[known.length >> 1] ?? 0n;
}

async function request({ client }: Node, method: string, params: readonly unknown[]): Promise<unknown> {
  return client.request({ method, params } as never);
}

function larger(...values: readonly bigint[]): bigint {
  return values.reduce((a, b) => (a > b ? a : b));
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
