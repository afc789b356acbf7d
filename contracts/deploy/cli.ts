import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { createPublicClient, createWalletClient, http, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { writeAddressBook } from './address-book-file.js';
import { chainOf } from './chain-of.js';
import { deployBridge } from './deploy-bridge.js';
import type { DeployTarget } from './deploy-target.js';
import { deploymentConfigSchema } from './deployment-config.js';

interface Options {
  config?: string;
  ethereumRpc: string;
  partnerRpc: string;
  out?: string;
}

await new Command('deploy')
  .description(
    'Deploys both ends of the bridge, or what an interrupted run left of it, and writes their address book. ' +
      'DEPLOYER_PRIVATE_KEY pays; it holds a role only where a local configuration names no owner.',
  )
  .argument('<environment>', 'local, testnet or mainnet')
  .option('--config <file>', 'reviewed configuration, JSON (default: deploy/config/<environment>.json)')
  .requiredOption('--ethereum-rpc <url>', 'JSON-RPC address of an Ethereum node')
  .requiredOption('--partner-rpc <url>', 'JSON-RPC address of a partner-chain node')
  .option('--out <file>', 'where to write the address book (default: deployments/<environment>.json)')
  .action(async (environment: string, options: Options) => {
    const key = process.env['DEPLOYER_PRIVATE_KEY'];
    if (key === undefined || !/^0x[0-9a-fA-F]{64}$/.test(key)) {
      throw new Error('DEPLOYER_PRIVATE_KEY must be set to 0x and 64 hex digits');
    }
    const file = options.config ?? `deploy/config/${environment}.json`;
    const config = deploymentConfigSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    if (config.environment !== environment) throw new Error(`${file} is for ${config.environment}, not ${environment}`);
    const book = await deployBridge({
      config,
      ethereum: await target(options.ethereumRpc, key as Hex),
      partner: await target(options.partnerRpc, key as Hex),
      onStep: (step) => process.stdout.write(`- ${step}\n`),
    });
    const out = options.out ?? `deployments/${config.environment}.json`;
    mkdirSync(dirname(out), { recursive: true });
    writeAddressBook(out, book);
    process.stdout.write(`Deployed. The address book is ${out}\n`);
  })
  .parseAsync();

async function target(url: string, key: Hex): Promise<DeployTarget> {
  const transport = http(url);
  const id = await createPublicClient({ transport }).getChainId();
  const chain = chainOf(id, url);
  return {
    client: createPublicClient({ chain, transport }),
    wallet: createWalletClient({ chain, transport, account: privateKeyToAccount(key) }),
  };
}
