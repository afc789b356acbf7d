import type { ConfigResponse, Side } from '@causeway/protocol';
import type { Bridge } from '@causeway/sdk';
import { countFindings, error, formatFinding, makeReport, ok, warning } from '@causeway/service/doctor';
import { isAddress, type Address } from 'viem';
import { defineCommand, type Context } from '../command.js';
import { checkAccount } from '../doctor/account-checks.js';
import { checkApi, checkClock, checkHealth, checkLimits } from '../doctor/api-checks.js';
import { checkContract } from '../doctor/contract-checks.js';
import { CHECKS, type DoctorFinding } from '../doctor/finding.js';
import { checkNode } from '../doctor/node-checks.js';
import { UsageError } from '../errors.js';
import type { Tone } from '../output/printer.js';
import { CHAIN_NAMES } from '../output/words.js';
import { chooseNode, connect, findNode } from '../settings/connection.js';
import { adviseProxy, describeProxies } from '../settings/proxy.js';

const SIDES = ['ethereum', 'partner'] as const satisfies readonly Side[];
const TONES: Readonly<Record<DoctorFinding['severity'], Tone>> = {
  ok: 'good',
  warning: 'warning',
  error: 'bad',
  'not yet': 'warning',
};

export const command = defineCommand<{ readonly account?: string }, []>({
  define: (syntax) => {
    syntax.option('--account <address>', 'also check the balances of this account on both chains');
  },
  run: async (context, { account }) => {
    if (account !== undefined && !isAddress(account))
      throw new UsageError('account', 'must be an address; one in mixed case needs a correct checksum');
    const bridge = await connect(context);
    const { config, findings: ofApi } = await checkApi(bridge, context.reads, adviseProxy(context, bridge.apiUrl));
    const proxies = describeProxies(context);
    const ofProxy = proxies === null ? [] : [ok('proxy', proxies)];
    const findings =
      config === null
        ? [
            ...ofProxy,
            ...ofApi,
            error('nodes', 'nodes and contracts were not checked', 'Correct the problem of the API first.'),
          ]
        : [...ofProxy, ...ofApi, ...(await checkBridge(context, bridge, config, account))];
    const report = makeReport(findings, CHECKS, Date.now());
    await context.printer.result(report, () => [
      ...report.findings.map((each) => ({ text: formatFinding(each), tone: TONES[each.severity] })),
      { text: countFindings(report) },
    ]);
    return report.exitCode === 0 ? 'done' : 'failed';
  },
});

async function checkBridge(
  context: Context,
  bridge: Bridge,
  config: ConfigResponse,
  account: Address | undefined,
): Promise<readonly DoctorFinding[]> {
  const { reads } = context;
  const found = await Promise.all([
    checkHealth(bridge, reads),
    checkClock(bridge),
    ...SIDES.map(async (side) => checkSide(context, bridge, config, side, account)),
    checkLimits(bridge, reads),
  ]);
  return found.flat();
}

/** Checks the node of a chain, then everything that needs the node. */
async function checkSide(
  context: Context,
  bridge: Bridge,
  config: ConfigResponse,
  side: Side,
  account: Address | undefined,
): Promise<readonly DoctorFinding[]> {
  let url: string;
  try {
    url = chooseNode(context, config, side);
  } catch (problem) {
    if (!(problem instanceof UsageError)) throw problem;
    const words = `${CHAIN_NAMES[side]}: no node is configured, so the contract was not checked`;
    return [warning('nodes', words, problem.nextStep)];
  }
  const proxyAdvice = adviseProxy(context, url);
  const { client, isUsable, findings } = await checkNode(bridge, side, url, config[side].chainId, proxyAdvice);
  if (!isUsable) return findings;
  const [contract, balances] = await Promise.all([
    checkContract(side, client, config, bridge.addressBook),
    account === undefined ? [] : checkAccount(side, client, config, account),
  ]);
  const alone = warning(
    'nodes',
    `${CHAIN_NAMES[side]}: the API chose this node, so it cannot confirm the API's answers`,
    `Give your own node with --${side}-rpc.`,
  );
  return [...findings, ...(findNode(context, side) === undefined ? [alone] : []), ...contract, ...balances];
}
