import { readFileSync, writeFileSync } from 'node:fs';
import { connectTarget, deployTestTokens } from '@causeway/contracts/deploy';
import type { Command } from 'commander';
import type { Address } from 'viem';
import { z } from 'zod';
import { sayToRepeat } from './deploy-command.js';
import { readSigner } from './signer.js';
import { parseAddress } from './terminal.js';

interface TestTokenOptions {
  readonly holder: Address;
  readonly ethereumRpc: string;
  readonly keystore: string;
  readonly passwordFile?: string;
  readonly config?: string;
}

/** The command changes only `tokens`, so the rest may still have placeholders. */
const configurationSchema = z.looseObject({ environment: z.literal('testnet'), tokens: z.looseObject({}) });

/** Adds the command that deploys the test tokens of a testnet. */
export function addTestTokensCommand(program: Command): void {
  program
    .command('deploy-test-tokens')
    .description(
      'deploys USDC and XCN with a fixed supply and without privileged accounts on the testnet of Ethereum ' +
        '(chain 11155111); refuses every other chain; a repeated run finds the tokens of the first',
    )
    .requiredOption('--holder <address>', 'receives the whole supply, such as the wallet of the faucet', parseAddress)
    .requiredOption('--ethereum-rpc <url>', 'JSON-RPC address of a node of the testnet')
    .requiredOption('--keystore <file>', 'encrypted key that pays (Web3 Secret Storage)')
    .option('--password-file <file>', 'file with its password (default: asks)')
    .option('--config <file>', 'configuration of the deployment, JSON, to write the addresses to')
    .action(run);
}

async function run(options: TestTokenOptions): Promise<void> {
  const { holder, ethereumRpc, keystore, passwordFile, config } = options;
  const configuration = config === undefined ? null : readConfiguration(config);
  const account = await readSigner({
    environment: 'testnet',
    keystore,
    passwordFile,
    variable: 'DEPLOYER_PRIVATE_KEY',
    bareKey: undefined,
  });
  if (account === undefined) throw new Error('The key that pays is missing: give --keystore <file>');
  const onStep = (step: string) => void process.stdout.write(`- ${step}\n`);
  const { USDC, XCN } = await sayToRepeat(async () =>
    deployTestTokens({ ethereum: await connectTarget(ethereumRpc, account), holder, onStep }),
  );
  if (config !== undefined && configuration !== null) {
    const filled = { ...configuration, tokens: { ...configuration.tokens, USDC, XCN } };
    writeFileSync(config, `${JSON.stringify(filled, null, 2)}\n`);
  }
  process.stdout.write(`"tokens": { "USDC": "${USDC}", "XCN": "${XCN}" }\n`);
}

/** @throws Error when the file is not the configuration of a testnet. */
function readConfiguration(file: string): z.output<typeof configurationSchema> {
  const { data } = configurationSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (data === undefined) throw new Error(`${file} is not a testnet configuration: see causeway-admin example testnet`);
  return data;
}
