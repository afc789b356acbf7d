import type { ConfigResponse, Side } from '@causeway/protocol';
import type { Bridge } from '@causeway/sdk';
import { isAddress, type Address } from 'viem';
import { defineCommand, type Context } from '../command.js';
import { checkAccount } from '../doctor/account-checks.js';
import { checkApi, checkClock, checkHealth, checkLimits } from '../doctor/api-checks.js';
import { checkContract } from '../doctor/contract-checks.js';
import { failure, warning, type DoctorFinding } from '../doctor/finding.js';
import { checkNode } from '../doctor/node-checks.js';
import { UsageError } from '../errors.js';
import type { Block, Tone } from '../output/printer.js';
import { CHAIN_NAMES } from '../output/words.js';
import { chooseNode, connect, findNode } from '../settings/connection.js';

const SIDES = ['ethereum', 'partner'] as const satisfies readonly Side[];
const TONES = { ok: 'good', warning: 'warning', failure: 'bad' } as const satisfies Record<
  DoctorFinding['level'],
  Tone
>;

export const command = defineCommand<{ readonly account?: string }, []>({
  define: (syntax) => {
    syntax.option('--account <address>', 'show its balances on both chains');
  },
  run: async (context, { account }) => {
    if (account !== undefined && !isAddress(account))
      throw new UsageError('account', 'must be an address, with a correct checksum if it is in mixed case');
    const bridge = await connect(context);
    const { config, findings: ofApi } = await checkApi(bridge, context.signal);
    const findings =
      config === null
        ? [...ofApi, failure('nodes', 'nodes and contracts were not checked', 'Correct the API first.')]
        : [...ofApi, ...(await checkBridge(context, bridge, config, account))];
    const healthy = findings.every(({ level }) => level !== 'failure');
    await context.printer.result({ healthy, findings }, () => findings.map(toBlock));
    return healthy ? 'done' : 'unhealthy';
  },
});

async function checkBridge(
  context: Context,
  bridge: Bridge,
  config: ConfigResponse,
  account: Address | undefined,
): Promise<readonly DoctorFinding[]> {
  const { signal } = context;
  const found = await Promise.all([
    checkHealth(bridge, signal),
    checkClock(bridge),
    ...SIDES.map(async (side) => checkSide(context, bridge, config, side, account)),
    checkLimits(bridge, signal),
  ]);
  return found.flat();
}

/** The node of a chain, then everything that needs it. */
async function checkSide(
  context: Context,
  { addressBook }: Bridge,
  config: ConfigResponse,
  side: Side,
  account: Address | undefined,
): Promise<readonly DoctorFinding[]> {
  let url: string;
  try {
    url = chooseNode(context, config, side);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const words = `${CHAIN_NAMES[side]}: no node is named, so its contract was not checked`;
    return [warning('nodes', words, error.nextStep)];
  }
  const { client, isUsable, findings } = await checkNode(side, url, config[side].chainId);
  if (!isUsable) return findings;
  const [contract, balances] = await Promise.all([
    checkContract(side, client, config, addressBook),
    account === undefined ? [] : checkAccount(side, client, config, account),
  ]);
  const alone = warning(
    'nodes',
    `${CHAIN_NAMES[side]}: the API names this node, so it proves nothing about the API`,
    `Name another one with --${side}-rpc.`,
  );
  return [...findings, ...(findNode(context, side) === undefined ? [alone] : []), ...contract, ...balances];
}

function toBlock({ level, check, finding, nextStep }: DoctorFinding): Block {
  const next = nextStep === null ? '' : ` -> ${nextStep}`;
  return { text: `${level.padEnd(8)} ${check.padEnd(9)} ${finding}${next}`, tone: TONES[level] };
}
