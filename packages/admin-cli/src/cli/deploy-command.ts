import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  connectTarget,
  deployBridge,
  deploymentConfigSchema,
  readDeploymentConfig,
  simulateDeployment,
  writeAddressBook,
  type DeploymentConfig,
} from '@causeway/contracts/deploy';
import local from '@causeway/contracts/deploy/config/local.json' with { type: 'json' };
import mainnet from '@causeway/contracts/deploy/config/mainnet.example.json' with { type: 'json' };
import testnet from '@causeway/contracts/deploy/config/testnet.example.json' with { type: 'json' };
import { Argument, type Command } from 'commander';
import { BaseError, type Account, type Address } from 'viem';
import { toAccount } from 'viem/accounts';
import { describeError } from '@causeway/governance';
import { fillAddresses } from './accounts-command.js';
import { describeDeployment } from './dry-run.js';
import { readSigner } from './signer.js';
import { parseAddress } from './terminal.js';

interface DeployOptions {
  readonly config?: string;
  readonly ethereumRpc: string;
  readonly partnerRpc: string;
  readonly out?: string;
  readonly keystore?: string;
  readonly passwordFile?: string;
  readonly from?: Address;
  readonly dryRun: boolean;
}

/** Variable with the deployer's bare key, in the local environment only. */
const KEY_VARIABLE = 'DEPLOYER_PRIVATE_KEY';

/** A configuration for each environment. The one of `local` is complete; the others have placeholders. */
const EXAMPLES = { local, testnet, mainnet } as const;
type Environment = keyof typeof EXAMPLES;

/** Adds the commands that deploy a bridge. */
export function addDeployCommands(program: Command): void {
  program
    .command('deploy')
    .description(
      'deploys both bridge contracts and writes their address book; repeat an interrupted run to continue it; ' +
        'the key pays, and holds a role only if a local configuration has no owner',
    )
    .addArgument(environmentArgument())
    .option(
      '--config <file>',
      'reviewed configuration, JSON (required; for local the default is the output of example)',
    )
    .requiredOption('--ethereum-rpc <url>', 'JSON-RPC address of an Ethereum node')
    .requiredOption('--partner-rpc <url>', 'JSON-RPC address of a partner-chain node')
    .option('--out <file>', 'where to write the address book (default: deployments/<environment>.json)')
    .option('--keystore <file>', `encrypted key that pays (Web3 Secret Storage); locally also ${KEY_VARIABLE}`)
    .option('--password-file <file>', 'file with its password (default: asks)')
    .option('--dry-run', 'show the deployment and simulate its constructors; send nothing', false)
    .option('--from <address>', 'deployer of a dry run without a key', parseAddress)
    .action(deploy);
  program
    .command('example')
    .description('prints a configuration for deploy to fill in')
    .addArgument(environmentArgument())
    .option('--keystores <folder>', 'fills in the addresses of relayer.json, policy-manager.json and so on')
    .action((environment: Environment, { keystores }: { readonly keystores?: string }) => {
      const example = JSON.stringify(EXAMPLES[environment], null, 2);
      print(keystores === undefined ? example : fillAddresses(example, keystores));
    });
}

/** The argument with the environment of the bridge. */
export function environmentArgument(): Argument {
  return new Argument('<environment>', 'environment of the bridge').choices(Object.keys(EXAMPLES));
}

async function deploy(environment: Environment, options: DeployOptions): Promise<void> {
  const config = readConfig(environment, options);
  const connect = async (account: Account) => ({
    config,
    ethereum: await connectTarget(options.ethereumRpc, account),
    partner: await connectTarget(options.partnerRpc, account),
  });
  const account = await loadAccount(config, options);
  if (options.dryRun) {
    const lines = describeDeployment(config, await simulateDeployment(await connect(account)));
    print(`${lines.join('\n')}\nNothing was sent: this was a dry run.`);
    return;
  }
  const onStep = (step: string) => print(`- ${step}`);
  const book = await sayToRepeat(async () => deployBridge({ ...(await connect(account)), onStep }));
  const out = options.out ?? `deployments/${environment}.json`;
  mkdirSync(dirname(out), { recursive: true });
  writeAddressBook(out, book);
  print(`Deployed. The address book is ${out}`);
}

/** Tells the operator to repeat the command when a node fails. Other errors pass unchanged. */
export async function sayToRepeat<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((cause: unknown) => {
    if (!(cause instanceof BaseError)) throw cause;
    const goOn = 'Repeat the command: it keeps the deployed contracts and continues.';
    throw new Error(`${describeError(cause)}\n${goOn}`, { cause });
  });
}

function readConfig(environment: Environment, { config }: DeployOptions): DeploymentConfig {
  if (config !== undefined) return readDeploymentConfig(config, environment);
  if (environment === 'local') return deploymentConfigSchema.parse(local);
  const example = `causeway-admin example ${environment}`;
  throw new Error(`Missing option: --config <file>, the reviewed configuration. Fill in the output of ${example}`);
}

/** The account that pays. A dry run with --from needs no key or password. */
async function loadAccount({ environment }: DeploymentConfig, options: DeployOptions): Promise<Account> {
  const { dryRun, from, keystore, passwordFile } = options;
  if (dryRun && from !== undefined) return toAccount(from);
  const bareKey = process.env[KEY_VARIABLE];
  const signer = await readSigner({ environment, keystore, passwordFile, variable: KEY_VARIABLE, bareKey });
  if (signer !== undefined) return signer;
  const choice = environment === 'local' ? `set ${KEY_VARIABLE}, or give` : 'give';
  throw new Error(`The key that pays is missing: ${choice} --keystore <file>${dryRun ? ', or --from <address>' : ''}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
