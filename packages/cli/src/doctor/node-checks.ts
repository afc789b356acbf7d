import type { Side } from '@causeway/protocol';
import { error, ok, runCheck, warning } from '@causeway/service/doctor';
import { createClient, http, type Client } from 'viem';
import { getBlock, getChainId } from 'viem/actions';
import { CHAIN_NAMES } from '../output/words.js';
import type { DoctorFinding } from './finding.js';

/** Far above the time between two blocks of either chain. */
const OLD_BLOCK_SECONDS = 300;
const MOST_AHEAD_SECONDS = 60;

/** A chain of the bridge, and a node of it. */
export interface CheckedNode {
  readonly side: Side;
  readonly client: Client;
  /** Whether it can be used by the checks that follow. */
  readonly isUsable: boolean;
  readonly findings: readonly DoctorFinding[];
}

/** Asks a node for its chain and its newest block. */
export async function checkNode(side: Side, url: string, chainId: number): Promise<CheckedNode> {
  const client = createClient({ transport: http(url, { retryCount: 1 }) });
  // Without its path and credentials, which may be a key.
  const name = `${CHAIN_NAMES[side]} ${new URL(url).host}`;
  let isUsable = false;
  const findings = await runCheck('nodes', name, `Name another node with --${side}-rpc.`, async () => {
    const begun = performance.now();
    const [actual, { number, timestamp }] = await Promise.all([getChainId(client), getBlock(client)]);
    if (actual !== chainId)
      return [
        error('nodes', `${name} serves chain ${actual} instead of ${chainId}`, `Name a node with --${side}-rpc.`),
      ];
    isUsable = true;
    const age = Math.round(Date.now() / 1_000 - Number(timestamp));
    const words = `${name}: chain ${chainId}, block ${number ?? 0n}, ${Math.round(performance.now() - begun)} ms`;
    if (age > OLD_BLOCK_SECONDS)
      return [warning('nodes', `${words}; its block is ${age} s old`, 'Compare with another node.')];
    if (age < -MOST_AHEAD_SECONDS)
      return [warning('nodes', `${words}; its block is ${-age} s ahead of this clock`, 'Compare the clock.')];
    return [ok('nodes', words)];
  });
  return { side, client, isUsable, findings };
}
