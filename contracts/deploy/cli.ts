import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { createPublicClient, createWalletClient, http } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { writeAddressBook } from './address-book-file.js';
import { chainOf } from './chain-of.js';
import { deployBridge } from './deploy-bridge.js';
import type { DeployTarget } from './deploy-target.js';
import { deploymentConfigSchema } from './deployment-config.js';
import { failPlainly } from './fail-plainly.js';
import { readSigner } from './signer/read-signer.js';

interface Options {
  config?: string;
  ethereumRpc: string;
  partnerRpc: string;
  out?: string;
  keystore?: string;
  passwordFile?: string;
}

await new Command('deploy')
  .description(
    'Deploys both ends of the bridge, or what an interrupted run left of it, and writes their address book. ' +
      'The key pays; it holds a role only where a local configuration names no owner.',
  )
  .argument('<environment>', 'local, testnet or mainnet')
  .option('--config <file>', 'reviewed configuration, JSON (default: deploy/config/<environment>.json)')
  .requiredOption('--ethereum-rpc <url>', 'JSON-RPC address of an Ethereum node')
  .requiredOption('--partner-rpc <url>', 'JSON-RPC address of a partner-chain node')
  .option('--out <file>', 'where to write the address book (default: deployments/<environment>.json)')
  .option('--keystore <file>', 'encrypted key that pays (Web3 Secret Storage); locally also DEPLOYER_PRIVATE_KEY')
  .option('--password-file <file>', 'file with its password (default: asks)')
  .action(async (environment: string, options: Options) => {
    const file = options.config ?? `deploy/config/${environment}.json`;
    if (!existsSync(file)) {
      const example = `deploy/config/${environment}.example.json`;
      throw new Error(`There is no ${file}: copy ${example} to it and fill it in, or name another by --config`);
    }
    const config = deploymentConfigSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    if (config.environment !== environment) throw new Error(`${file} is for ${config.environment}, not ${environment}`);
    const signer = await readSigner({
      environment: config.environment,
      keystore: options.keystore,
      passwordFile: options.passwordFile,
      variable: 'DEPLOYER_PRIVATE_KEY',
      bareKey: process.env['DEPLOYER_PRIVATE_KEY'],
    });
    if (signer === undefined) {
      throw new Error(
        config.environment === 'local'
          ? 'DEPLOYER_PRIVATE_KEY must be set, or --keystore given'
          : '--keystore must be given',
      );
    }
    const book = await deployBridge({
      config,
      ethereum: await target(options.ethereumRpc, signer),
      partner: await target(options.partnerRpc, signer),
      onStep: (step) => process.stdout.write(`- ${step}\n`),
    });
    const out = options.out ?? `deployments/${config.environment}.json`;
    mkdirSync(dirname(out), { recursive: true });
    writeAddressBook(out, book);
    process.stdout.write(`Deployed. The address book is ${out}\n`);
  })
  .parseAsync()
  .catch(failPlainly);

async function target(url: string, account: PrivateKeyAccount): Promise<DeployTarget> {
  const transport = http(url);
  const id = await createPublicClient({ transport }).getChainId();
  const chain = chainOf(id, url);
  return {
    client: createPublicClient({ chain, transport }),
    wallet: createWalletClient({ chain, transport, account }),
  };
}
