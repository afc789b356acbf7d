import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { writeAddressBook } from './address-book-file.js';
import { connectTarget } from './chains.js';
import { deployBridge } from './deploy-bridge.js';
import { readDeploymentConfig } from './deployment-config.js';
import { readSigner } from './signer.js';
import { reportFailure } from './terminal.js';

interface Options {
  readonly config?: string;
  readonly ethereumRpc: string;
  readonly partnerRpc: string;
  readonly out?: string;
  readonly keystore?: string;
  readonly passwordFile?: string;
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
  .action(async (environment: string, options: Options) => {
    const file = options.config ?? `deploy/config/${environment}.json`;
    const config = readDeploymentConfig(file, environment);
    const signer = await readSigner({
      environment: config.environment,
      keystore: options.keystore,
      passwordFile: options.passwordFile,
      variable: KEY_VARIABLE,
      bareKey: process.env[KEY_VARIABLE],
    });
    if (signer === undefined) {
      throw new Error(
        config.environment === 'local'
          ? `No key that pays: set ${KEY_VARIABLE}, or give --keystore <file>`
          : 'No key that pays: give --keystore <file>',
      );
    }
    const book = await deployBridge({
      config,
      ethereum: await connectTarget(options.ethereumRpc, signer),
      partner: await connectTarget(options.partnerRpc, signer),
      onStep: (step) => process.stdout.write(`- ${step}\n`),
    });
    const out = options.out ?? `deployments/${config.environment}.json`;
    mkdirSync(dirname(out), { recursive: true });
    writeAddressBook(out, book);
    process.stdout.write(`Deployed. The address book is ${out}\n`);
  })
  .parseAsync()
  .catch(reportFailure);
