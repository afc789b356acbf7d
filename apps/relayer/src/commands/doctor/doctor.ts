import { openSigner, trySigner } from '@causeway/chain';
import {
  findUsable,
  judgeConfiguration,
  makeReport,
  ok,
  runChecks,
  type NodeExpectations,
  type Report,
} from '@causeway/service/doctor';
import { chainProfile, type Side } from '@causeway/protocol';
import { inspectDatabase, openStore } from '@causeway/store';
import { readConfiguration, type Configuration } from '../../configuration.js';
import { checkAttesters, readConnections } from './check-attesters.js';
import { checkBackups } from './check-backups.js';
import { checkContracts } from './check-contracts.js';
import { checkDatabase, type Halts } from './check-database.js';
import { checkClock, checkHeads, checkMirrors, checkNodes } from './check-nodes.js';
import { checkBalances, checkSigner, type SignerFacts } from './check-wallet.js';
import { CHECKS, type Finding } from './finding.js';
import { fact, readHeadFacts, readMirrorFacts, readNodeFacts } from './node-facts.js';

/**
 * `relayer doctor`: checks everything that the relayer depends on. Writes nothing, and works while parts are down.
 *
 * @param now Injectable clock, in epoch milliseconds.
 */
export async function examineRelayer(variables: NodeJS.ProcessEnv, now: () => number): Promise<Report> {
  return makeReport(await examine(variables, now), CHECKS, now());
}

async function examine(variables: NodeJS.ProcessEnv, now: () => number): Promise<readonly Finding[]> {
  let configuration: Configuration;
  try {
    configuration = readConfiguration(variables);
  } catch (problem) {
    return judgeConfiguration('configuration', problem, 'relayer --help lists all variables');
  }
  const valid = ok('configuration', `valid, for ${configuration.environment}`);
  return [valid, ...(await examineParts(configuration, now))];
}

/** Reads all parts concurrently, then judges them. */
async function examineParts(configuration: Configuration, now: () => number): Promise<readonly Finding[]> {
  const { addressBook: book, databaseUrl, ethereumNodes, partnerNodes, mirrorUrls } = configuration;
  const readNodes = (side: 'ethereum' | 'partner', urls: readonly string[]) =>
    Promise.all(urls.map((url) => readNodeFacts(side, url, book)));
  const readHeads = (side: 'ethereum' | 'partner', urls: readonly string[]) =>
    Promise.all(urls.map((url) => readHeadFacts(side, url)));
  const readDatabase = async () => {
    const database = await fact(() => inspectDatabase(databaseUrl, now));
    return { database, halts: database.ok ? await readHalts(databaseUrl) : null };
  };
  const [signer, ethereum, partner, ethereumHeads, partnerHeads, mirrors, { database, halts }, connections] =
    await Promise.all([
      readSigner(configuration),
      readNodes('ethereum', ethereumNodes.urls),
      readNodes('partner', partnerNodes.urls),
      readHeads('ethereum', ethereumNodes.headUrls),
      readHeads('partner', partnerNodes.headUrls),
      Promise.all(mirrorUrls.map(readMirrorFacts)),
      readDatabase(),
      readConnections(configuration),
    ]);
  const nowMs = now();
  const expected = expectations(configuration);
  const usable = {
    ethereum: findUsable(ethereum, expected.ethereum),
    partner: findUsable(partner, expected.partner),
  };
  return runChecks<Finding['check']>({
    signer: () => checkSigner(signer, book.relayer),
    nodes: () => [
      ...checkNodes(ethereum, expected.ethereum),
      ...checkHeads(ethereumHeads, expected.ethereum),
      ...checkNodes(partner, expected.partner),
      ...checkHeads(partnerHeads, expected.partner),
      ...checkMirrors(mirrors),
    ],
    clock: () =>
      checkClock(usable, {
        nowMs,
        databaseDifferenceMs: database.ok ? database.value.clockDifferenceMs : null,
        stillAfterSeconds: chainProfile(configuration.environment).stillAfterSeconds,
      }),
    contracts: () => checkContracts(usable, configuration.environment === 'local', configuration.exchange !== null),
    attesters: () => checkAttesters(usable, connections),
    database: () => [
      ...checkDatabase(database, halts),
      ...(database.ok && database.value.backups !== null && configuration.environment !== 'local'
        ? checkBackups(database.value.backups)
        : []),
    ],
    balances: () => checkBalances(usable, { relayer: book.relayer, gasReserve: gasReserves(configuration) }),
  });
}

function expectations({ addressBook, environment, ethereumNodes, partnerNodes }: Configuration) {
  const isLocal = environment === 'local';
  const of = (side: Side, quorum: number, variable: string): NodeExpectations => ({
    side,
    chainId: addressBook[side].chainId,
    quorum,
    variable,
    isLocal,
  });
  return {
    ethereum: of('ethereum', ethereumNodes.quorum, 'ETHEREUM_RPC_URLS'),
    partner: of('partner', partnerNodes.quorum, 'PARTNER_RPC_URLS'),
  };
}

function gasReserves({ spendingLimits }: Configuration) {
  return { ethereum: spendingLimits.ethereum.gasReserve, partner: spendingLimits.partner.gasReserve };
}

async function readSigner({ signer: settings, addressBook }: Configuration): Promise<SignerFacts> {
  const { relayer, ethereum, partner } = addressBook;
  const warnings: string[] = [];
  const signs = await fact(async () => {
    const signer = await openSigner(settings, relayer, (sentence) => warnings.push(sentence));
    for (const { chainId } of [ethereum, partner]) await trySigner(signer, chainId);
  });
  return { kind: settings.kind, signs, warnings };
}

/** The halts in force. Null when the tables are missing, which the check of the migrations reports. */
async function readHalts(databaseUrl: string): Promise<Halts | null> {
  const store = openStore({ databaseUrl, maxConnections: 1, onIdleError: () => undefined });
  const halts = await fact(async () => ({
    chains: await store.halts.list(),
    deliveries: await store.halts.deliveries(),
    reconcile: (await store.reconciliations.open())?.reason ?? null,
  }));
  await store.close();
  return halts.ok ? halts.value : null;
}
