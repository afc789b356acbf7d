import { ConfigurationError, parseEndpoint } from '@causeway/service/configuration';
import {
  createVerifier,
  type Finality,
  type Node,
  type Side,
  type TransferRecord,
  type Verifier,
} from '@causeway/verifier';
import { createClient, hexToNumber, http, type Hex } from 'viem';
import type { Configuration } from './configuration/configuration.js';
import type { NamedNode } from './configuration/variables.js';

const TIMEOUT_MS = 10_000;
export const SIDES = ['ethereum', 'partner'] as const;

/** A node for the verifier. Its name, which appears in reasons, is organisation and host. */
function makeNode({ operator, url: address }: NamedNode): Node {
  const { host, url, headers } = parseEndpoint(address);
  const fetchOptions = { headers, redirect: 'error' } as const;
  const client = createClient({ transport: http(url, { retryCount: 0, timeout: TIMEOUT_MS, fetchOptions }) });
  return { name: `${operator} ${host}`, client };
}

/** Creates an attester's verifier on its own nodes. */
export function openVerifier({ verifier: settings, chains }: Configuration, record: TransferRecord): Verifier {
  const options = (side: Side) => {
    const { nodes, quorum, confirmations } = chains[side];
    return { nodes: nodes.map(makeNode), quorum, confirmations, timeoutMs: TIMEOUT_MS };
  };
  const verifier = createVerifier({ settings, ethereum: options('ethereum'), partner: options('partner'), record });
  return { ...verifier, finality: new SteadyFinality(verifier.finality) };
}

/** A final block that never decreases, even when a node becomes unavailable and lowers the quorum's head. */
class SteadyFinality implements Finality {
  private readonly highest = { ethereum: 0n, partner: 0n };

  constructor(private readonly finality: Finality) {}

  async finalBlock(side: Side): Promise<bigint> {
    const final = await this.finality.finalBlock(side);
    if (final > this.highest[side]) this.highest[side] = final;
    return this.highest[side];
  }
}

/** The chain id that a node reports. */
export async function readChainId({ client }: Node): Promise<number> {
  return hexToNumber((await client.request({ method: 'eth_chainId' } as never)) as Hex);
}

/**
 * Checks that the nodes are on the chains of the address book. Unavailable nodes are not a problem here.
 *
 * @throws ConfigurationError that names each node on another chain.
 */
export async function checkChainIds({ readers, settings }: Verifier): Promise<void> {
  const problems = await Promise.all(
    SIDES.flatMap((side) =>
      readers[side].nodes.map(async (node) => {
        const { chainId } = settings[side];
        const found = await readChainId(node).catch(() => chainId);
        return found === chainId
          ? []
          : [`${side.toUpperCase()}_RPC_URLS must name nodes of chain ${chainId}: ${node.name} is of chain ${found}`];
      }),
    ),
  );
  if (problems.flat().length > 0) throw new ConfigurationError(problems.flat());
}
