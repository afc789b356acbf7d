import { checkNamedNodes } from '@causeway/chain/named-nodes';
import { sentinelAbi } from '@causeway/contracts/abi';
import {
  describeProblem,
  error,
  judgeConfiguration,
  makeReport,
  ok,
  runCheck,
  runChecks,
  warning,
  type Finding as AnyFinding,
  type Report,
} from '@causeway/service/doctor';
import { Ledger, readContract, readHead, readLedger, type Side, type Verifier } from '@causeway/verifier';
import type { Address } from 'viem';
import { readConfiguration, type Configuration } from '../configuration/configuration.js';
import { openPauser, openVerifier } from '../nodes.js';
import { StateFile } from '../state-file.js';
import { SIDES } from '../watch/judgement.js';
import { countAffordablePauses, rehearsePause } from '../watch/pause-sender.js';

/** The subjects of findings, in the order of the report. */
const CHECKS = ['configuration', 'nodes', 'clock', 'key', 'rehearsal', 'balances', 'state'] as const;
type Finding = AnyFinding<(typeof CHECKS)[number]>;

/** Fees are raised every 20 seconds, and each chain may need several pauses. */
const FEW_PAUSES = 5;

/**
 * `watchtower doctor`: checks everything that the watchtower depends on. Read-only; works while parts are down and
 * while the service runs.
 *
 * @param now epoch milliseconds.
 */
export async function examineWatchtower(variables: NodeJS.ProcessEnv, now: () => number): Promise<Report> {
  return makeReport(await examine(variables, now), CHECKS, now());
}

async function examine(variables: NodeJS.ProcessEnv, now: () => number): Promise<readonly Finding[]> {
  let configuration: Configuration;
  try {
    configuration = readConfiguration(variables);
  } catch (problem) {
    return judgeConfiguration('configuration', problem, 'watchtower --help lists all variables');
  }
  const verifier = openVerifier(configuration);
  const findings = await runChecks<Finding['check']>({
    nodes: async () => [
      ...(await checkNamedNodes(verifier, configuration, now)),
      ...(await ofBoth((side) => checkAgreement(verifier, side))),
      ...(await checkDeployment(verifier)),
    ],
    key: async () => {
      const signer = await openPauser(configuration).catch((problem: unknown) => describeProblem(problem));
      if (typeof signer === 'string') return [error('key', signer, 'correct the variables PAUSER_*')];
      return ofBoth((side) => checkPauser(verifier, configuration, side, signer.address));
    },
    state: () => checkState(configuration),
  });
  return [ok('configuration', `valid, for ${configuration.environment}`), ...findings];
}

async function ofBoth(check: (side: Side) => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  return (await Promise.all(SIDES.map(check))).flat();
}

async function checkAgreement(verifier: Verifier, side: Side): Promise<readonly Finding[]> {
  return runCheck('nodes', `${side}: too few nodes agree`, 'repair the nodes above', async () => {
    const { number, hash } = await readHead(verifier, side);
    return [ok('nodes', `${side}: they agree on block ${number}, ${hash}`)];
  });
}

/** With a wrong contract, or a block after its deployment, honest deliveries would have no origin. */
async function checkDeployment(verifier: Verifier): Promise<readonly Finding[]> {
  return runCheck(
    'nodes',
    'the first events of the bridge',
    'check the addresses and blocks in ADDRESS_BOOK',
    async () => {
      const read = async (side: Side) => verifier.readers[side].headerAt(verifier.settings[side].deployedAtBlock);
      const to = { ethereum: await read('ethereum'), partner: await read('partner') };
      await readLedger(Ledger.begin(verifier.settings), verifier, to);
      return [ok('nodes', 'both contracts were deployed in the blocks of ADDRESS_BOOK')];
    },
  );
}

/** Checks that the pauser can pause a chain's contract: its right, each node's simulation, and its coin. */
async function checkPauser(
  verifier: Verifier,
  { sentinels, maxFeePerGas }: Configuration,
  side: Side,
  pauser: Address,
): Promise<readonly Finding[]> {
  const sentinel = sentinels[side];
  const key = await runCheck('key', `${side}: the Sentinel cannot be read`, 'repair the nodes', async () => {
    const { hash: blockHash } = await readHead(verifier, side);
    const read = { address: sentinel, abi: sentinelAbi, functionName: 'isPauser', args: [pauser], blockHash };
    return (await readContract(verifier.readers[side], read)) === true
      ? [ok('key', `${side}: ${pauser} is a pauser of ${sentinel}`)]
      : [error('key', `${side}: ${pauser} is not a pauser of ${sentinel}`, 'let the guardian add it (add-pauser)')];
  });
  const rehearsals = (await rehearsePause(verifier.readers[side], pauser, sentinel)).map(({ node, problem }) =>
    problem === null
      ? ok('rehearsal', `${side} ${node}: the pause would work`)
      : error('rehearsal', `${side} ${node}: ${describeProblem(problem)}`, 'see the findings about nodes and key'),
  );
  const balance = await runCheck('balances', `${side}: the pauser's coin`, 'repair the nodes', async () => {
    const count = await countAffordablePauses(verifier, side, pauser, maxFeePerGas);
    const finding = `${side}: the coin of ${pauser} pays for ${count} pauses at MAX_FEE_GWEI`;
    if (count >= FEW_PAUSES) return [ok('balances', finding)];
    return [(count === 0 ? error : warning)('balances', finding, 'send it coin for gas')];
  });
  return [...key, ...rehearsals, ...balance];
}

async function checkState({ dataDirectory, verifier }: Configuration): Promise<readonly Finding[]> {
  const file = new StateFile(dataDirectory);
  try {
    const state = file.read();
    if (state === null) return [ok('state', `${file.path} will be made`)];
    const { ethereum, partner } = Ledger.resume(verifier, state.ledger).cursors;
    return [ok('state', `${file.path}: up to Ethereum ${ethereum?.number ?? 0n}, partner ${partner?.number ?? 0n}`)];
  } catch (problem) {
    const finding = `${file.path}: ${describeProblem(problem)}`;
    return [warning('state', finding, 'nothing: the watchtower reads the chains from their start')];
  }
}
