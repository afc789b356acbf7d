import { createRequire } from 'node:module';
import { chainProfile } from '@causeway/protocol';
import type { AttesterNodes } from '../processes/attester-nodes.js';
import type { ProcessDescription } from '../processes/supervisor.js';
import { testAccounts, type TestAccount, type TestAccounts } from './accounts.js';
import type { EnvironmentOptions } from './options.js';

// The program and the variables of each process of a bridge, for everything that starts one.

const require = createRequire(import.meta.url);
const LEASE_MS = 3_000;
/** Validity of an attestation. An attester waits as long at its start, plus a margin for clock differences. */
const ATTEST_SECONDS = { relayer: 10, attester: 12 } as const;
export const PROFILE = chainProfile('local');

export type Variables = Readonly<Record<string, string>>;

/** Times that the services of a bridge must agree on. */
type Terms = Pick<
  EnvironmentOptions,
  | 'holdSeconds'
  | 'retireAfterSeconds'
  | 'ethereumBlockSeconds'
  | 'partnerBlockSeconds'
  | 'ethereumConfirmations'
  | 'partnerConfirmations'
>;

/** What all services of a bridge need to know. */
export interface BridgeFacts {
  readonly terms: Terms;
  readonly accounts: TestAccounts;
  readonly addressBookFile: string;
  readonly databaseUrls: Readonly<Record<'relayer' | 'api', string>>;
  /** URLs of the nodes that services use, separated by commas. */
  readonly nodes: Readonly<Record<'ethereum' | 'partner' | 'mirror', string>>;
}

/** What only the API needs. */
interface ApiFacts {
  readonly port: number;
  /** The nodes that the API's answers name. */
  readonly publicNodes: Readonly<Record<'ethereum' | 'partner', string>>;
  /** Time for a load balancer to notice the shutdown. */
  readonly shutdownDelayMs: number;
  /** Clients exempt from rate limits. */
  readonly exemptClients: string;
}

/**
 * A relayer. Its commands take the same variables.
 *
 * @param exchangeUrl to which attesters connect.
 */
export function describeRelayer(name: string, facts: BridgeFacts, exchangeUrl?: string): ProcessDescription {
  const exchange =
    exchangeUrl === undefined
      ? {}
      : { ATTEST_PORT: new URL(exchangeUrl).port, ATTEST_VALID_SECONDS: `${ATTEST_SECONDS.relayer}` };
  const env = {
    ...sharedVariables(facts, 'relayer'),
    RELAYER_NAME: name,
    RELAYER_PRIVATE_KEY: facts.accounts.relayer.privateKey,
    OPERATORS: listOperators(facts.accounts),
    LEASE_MS: `${LEASE_MS}`,
    RECONCILE_QUIET_MS: '0',
    RETIRE_AFTER_MS: `${1_000 * facts.terms.retireAfterSeconds}`,
    ...exchange,
  };
  return { name, module: require.resolve('@causeway/relayer/main'), env };
}

/** The API. The console listens only if `ADMIN_PORT` is added to the variables. */
export function describeApi(name: string, facts: BridgeFacts, its: ApiFacts): ProcessDescription {
  const env = {
    ...sharedVariables(facts, 'api'),
    PORT: `${its.port}`,
    PUBLIC_ETHEREUM_RPC_URLS: its.publicNodes.ethereum,
    PUBLIC_PARTNER_RPC_URLS: its.publicNodes.partner,
    ADMIN_NAMES: listMembers(facts.accounts, 'name'),
    SHUTDOWN_DELAY_MS: `${its.shutdownDelayMs}`,
    RATE_LIMIT_EXEMPT_IPS: its.exemptClients,
  };
  const readyUrl = `http://127.0.0.1:${its.port}/health/live`;
  return { name, module: require.resolve('@causeway/api/main'), env, readyUrl };
}

function sharedVariables(facts: BridgeFacts, role: 'relayer' | 'api'): Variables {
  const { terms, accounts, addressBookFile, databaseUrls, nodes } = facts;
  return {
    ENVIRONMENT: 'local',
    ADDRESS_BOOK: addressBookFile,
    ADMIN_ALLOW_LIST: listMembers(accounts, 'role'),
    DATABASE_URL: databaseUrls[role],
    ETHEREUM_RPC_URLS: nodes.ethereum,
    PARTNER_RPC_URLS: nodes.partner,
    MIRROR_URL: nodes.mirror,
    ...finality(terms),
    ETHEREUM_BLOCK_SECONDS: `${terms.ethereumBlockSeconds}`,
    PARTNER_BLOCK_SECONDS: `${terms.partnerBlockSeconds}`,
  };
}

function finality({ holdSeconds, ethereumConfirmations, partnerConfirmations }: Terms): Variables {
  return {
    HOLD_SECONDS: `${holdSeconds}`,
    ETHEREUM_CONFIRMATIONS: `${ethereumConfirmations}`,
    PARTNER_CONFIRMATIONS: `${partnerConfirmations}`,
  };
}

/** A gateway, without the variables that name the chain behind it. */
export function describeGateway(
  name: string,
  port: number,
  shutdownDelayMs: number,
  { partnerConfirmations }: Terms,
): ProcessDescription {
  const env = {
    CHAIN_ID: `${PROFILE.partnerChainId}`,
    PORT: `${port}`,
    CONFIRMATIONS: `${partnerConfirmations}`,
    SHUTDOWN_DELAY_MS: `${shutdownDelayMs}`,
  };
  return { name, module: require.resolve('@causeway/gateway/main'), env };
}

/** The variables of the gateway that runs the partner chain in its process. */
export function chainVariables(dataDirectory: string, genesisFile: string, { partnerBlockSeconds }: Terms): Variables {
  return {
    DATA_DIRECTORY: dataDirectory,
    GENESIS: genesisFile,
    BLOCK_INTERVAL_MS: `${1_000 * partnerBlockSeconds}`,
  };
}

/** A development node with Ethereum's rules. It mines on demand until its mining interval is set. */
export function describeEthereum(port: number, stateFile: string): ProcessDescription {
  const accounts = `${Object.keys(testAccounts()).length}`;
  const flags = ['--chain-id', `${PROFILE.ethereumChainId}`, '--accounts', accounts, '--no-mining', '--silent'];
  const module = require.resolve('@causeway/testbed/anvil-process');
  return { name: 'ethereum', module, args: [`${port}`, stateFile, ...flags], env: {} };
}

/** An embedded PostgreSQL server. Its first message is `PostgresReady`. */
export function describePostgres(dataDirectory: string): ProcessDescription {
  const module = require.resolve('@causeway/test-kit/postgres-process');
  return { name: 'postgres', module, args: [dataDirectory], env: {} };
}

/** The nodes of an attester, in one process. Its first message is `AttesterNodes`. */
export function describeAttesterNodes(name: string, ethereumUrl: string, partnerUrl: string): ProcessDescription {
  const module = require.resolve('@causeway/testbed/attester-nodes');
  return { name, module, args: [ethereumUrl, partnerUrl], env: {} };
}

/** What only an attester needs. It has no database. */
interface AttesterFacts {
  readonly key: TestAccount;
  readonly nodes: AttesterNodes;
  /** The directory of its record. */
  readonly record: string;
  /** URLs of the relayers, to which the attester connects. */
  readonly exchangeUrls: readonly string[];
}

export function describeAttester(
  name: string,
  { terms, accounts, addressBookFile }: Omit<BridgeFacts, 'databaseUrls' | 'nodes'>,
  { key, nodes, record, exchangeUrls }: AttesterFacts,
): ProcessDescription {
  const env = {
    ENVIRONMENT: 'local',
    ADDRESS_BOOK: addressBookFile,
    ATTESTER_ADDRESS: key.address,
    ATTESTER_PRIVATE_KEY: key.privateKey,
    ETHEREUM_RPC_URLS: `${name}=${nodes.ethereum}`,
    PARTNER_RPC_URLS: `${name}=${nodes.partner}`,
    ...finality(terms),
    OPERATORS: listOperators(accounts),
    EXCHANGE_URLS: exchangeUrls.join(','),
    DATA_DIRECTORY: record,
    // Includes batches without signatures.
    LOG_LEVEL: 'debug',
    ATTEST_VALIDITY_SECONDS: `${ATTEST_SECONDS.attester}`,
  };
  return { name, module: require.resolve('@causeway/attester/main'), env };
}

/**
 * A watchtower, with the nodes of this environment.
 *
 * @param directory of its ledger.
 */
export function describeWatchtower(
  name: string,
  { terms, accounts, addressBookFile, nodes }: Omit<BridgeFacts, 'databaseUrls'>,
  directory: string,
): ProcessDescription {
  const env = {
    ENVIRONMENT: 'local',
    ADDRESS_BOOK: addressBookFile,
    PAUSER_PRIVATE_KEY: accounts.pauser.privateKey,
    ETHEREUM_RPC_URLS: `${name}=${nodes.ethereum}`,
    PARTNER_RPC_URLS: `${name}=${nodes.partner}`,
    ETHEREUM_CONFIRMATIONS: `${terms.ethereumConfirmations}`,
    PARTNER_CONFIRMATIONS: `${terms.partnerConfirmations}`,
    DATA_DIRECTORY: directory,
  };
  return { name, module: require.resolve('@causeway/watchtower/main'), env };
}

function listOperators({ firstOperator, secondOperator }: TestAccounts): string {
  return [firstOperator, secondOperator].map(({ address }) => address).join(',');
}

/** The members of the console, in the form of ADMIN_ALLOW_LIST or of ADMIN_NAMES. */
function listMembers(accounts: TestAccounts, field: 'role' | 'name'): string {
  const members = [
    { ...accounts.deployer, role: 'admin', name: 'Deployer' },
    { ...accounts.treasury, role: 'admin', name: 'Treasury' },
    { ...accounts.firstOperator, role: 'operator', name: 'First operator' },
    { ...accounts.secondOperator, role: 'operator', name: 'Second operator' },
    { ...accounts.guardian, role: 'operator', name: 'Guardian' },
    { ...accounts.recovery, role: 'operator', name: 'Recovery' },
    { ...accounts.policyManager, role: 'operator', name: 'Policy manager' },
    { ...accounts.auditor, role: 'viewer', name: 'Auditor' },
  ];
  return members.map((member) => `${member.address}:${member[field]}`).join(',');
}
