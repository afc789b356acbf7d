import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { toAccount } from 'viem/accounts';
import type { Account, Address } from 'viem';
import { parseAddress } from '../cli/parse-address.js';
import { reportFailure } from '../cli/terminal.js';
import { writeAddressBook } from './address-book-file.js';
import { connectTarget } from './chains.js';
import { deployBridge } from './deploy-bridge.js';
import { readDeploymentConfig } from './deployment-config.js';
import { dryRunDeployment } from './dry-run.js';
import { readSigner } from '../cli/signer.js';

interface Options {
  readonly config?: string;
  readonly ethereumRpc: string;
  readonly partnerRpc: string;
  readonly out?: string;
  readonly keystore?: string;
  readonly passwordFile?: string;
  readonly from?: Address;
  readonly dryRun: boolean;
}

/** Variable that may hold the deployer's bare key, in the local environment only. */
const KEY_VARIABLE = 'DEPLOYER_PRIVATE_KEY';

await new Command('deploy')
  .description(
    'Deploys both contracts of the bridge and writes their address book. Repeat an interrupted run: it continues. ' +
      'The key pays; it holds a role only where a local configuration names no owner.',
  )
  .argument('<environment>', 'local, testnet or mainnet')
  .option('--config <file>', 'reviewed configuration, JSON (default: deploy/config/<environment>.json)')
  .requiredOption('--ethereum-rpc <url>', 'JSON-RPC address of an Ethereum node')
  .requiredOption('--partner-rpc <url>', 'JSON-RPC address of a partner-chain node')
  .option('--out <file>', 'where to write the address book (default: deployments/<environment>.json)')
  .option('--keystore <file>', `encrypted key that pays (Web3 Secret Storage); locally also ${KEY_VARIABLE}`)
  .option('--password-file <file>', 'file with its password (default: asks)')
  .option('--dry-run', 'show the deployment and run its constructors, but send nothing', false)
  .option('--from <address>', 'deployer of a dry run without a key', parseAddress)
  .action(async (environment: string, options: Options) => {
    const file = options.config ?? `deploy/config/${environment}.json`;
    const config = readDeploymentConfig(file, environment);
    const input = async (account: Account) => ({
      config,
      ethereum: await connectTarget(options.ethereumRpc, account),
      partner: await connectTarget(options.partnerRpc, account),
    });
    if (options.dryRun && options.from !== undefined) {
      print(await dryRunDeployment(await input(toAccount(options.from))));
      return;
    }
    const signer = await readSigner({
      environment: config.environment,
      keystore: options.keystore,
      passwordFile: options.passwordFile,
      variable: KEY_VARIABLE,
      bareKey: process.env[KEY_VARIABLE],
    });
    if (signer === undefined) {
      const choice = config.environment === 'local' ? `set ${KEY_VARIABLE}, or give` : 'give';
      const dry = options.dryRun ? ', or --from <address>' : '';
      throw new Error(`No key that pays: ${choice} --keystore <file>${dry}`);
    }
    if (options.dryRun) {
      print(await dryRunDeployment(await input(signer)));
      return;
    }
    const book = await deployBridge({
      ...(await input(signer)),
      onStep: (step) => process.stdout.write(`- ${step}\n`),
    });
    const out = options.out ?? `deployments/${config.environment}.json`;
    mkdirSync(dirname(out), { recursive: true });
    writeAddressBook(out, book);
    process.stdout.write(`Deployed. The address book is ${out}\n`);
  })
  .parseAsync()
  .catch(reportFailure);

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\nNothing was sent: this was a dry run.\n`);
}
