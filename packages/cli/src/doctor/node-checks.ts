import type { Side } from '@causeway/protocol';
import type { Bridge } from '@causeway/sdk';
import { error, ok, runCheck, warning } from '@causeway/service/doctor';
import { createClient, http, type Client } from 'viem';
import { getBlock, getChainId } from 'viem/actions';
import { CHAIN_NAMES } from '../output/words.js';
import type { DoctorFinding } from './finding.js';

/** Far above the time between two blocks of either chain. */
const OLD_BLOCK_SECONDS = 300;
const MOST_AHEAD_SECONDS = 60;

/** A node of one of the bridge's chains. */
export interface CheckedNode {
  readonly side: Side;
  readonly client: Client;
  /** Whether later checks can use the node. */
  readonly isUsable: boolean;
  readonly findings: readonly DoctorFinding[];
}

/**
 * Checks the chain id of a node and the age of its newest block.
 *
 * @param proxyAdvice see `adviseProxy`.
 */
export async function checkNode(
  { fetch: fetchFn }: Bridge,
  side: Side,
  url: string,
  chainId: number,
  proxyAdvice: string,
): Promise<CheckedNode> {
  const client = createClient({ transport: http(url, { retryCount: 1, fetchFn }) });
  // The host alone: path and credentials can contain a key.
  const name = `${CHAIN_NAMES[side]} ${new URL(url).host}`;
  let isUsable = false;
  const findings = await runCheck('nodes', name, `Give another node with --${side}-rpc.${proxyAdvice}`, async () => {
    const begun = performance.now();
    const [actual, { number, timestamp }] = await Promise.all([getChainId(client), getBlock(client)]);
    if (actual !== chainId)
      return [
        error(
          'nodes',
          `${name} serves chain ${actual} instead of ${chainId}`,
          `Give a node of the right chain with --${side}-rpc.`,
        ),
      ];
    isUsable = true;
    const age = Math.round(Date.now() / 1_000 - Number(timestamp));
    const words = `${name}: chain ${chainId}, block ${number ?? 0n}, ${Math.round(performance.now() - begun)} ms`;
    if (age > OLD_BLOCK_SECONDS)
      return [warning('nodes', `${words}; its newest block is ${age} s old`, 'Compare with another node.')];
    if (age < -MOST_AHEAD_SECONDS)
      return [
        warning(
          'nodes',
          `${words}; its newest block is ${-age} s ahead of this clock`,
          'Check the clock of this machine.',
        ),
      ];
    return [ok('nodes', words)];
  });
  return { side, client, isUsable, findings };
}
