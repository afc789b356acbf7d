import { ConfigurationError, getExitCode, variablesHelp } from '@causeway/service/configuration';
import { onEnd } from '@causeway/service/http';
import type { Side } from '@causeway/protocol';
import { chainClients, type ChainClients } from '../bridge/clients.js';
import { faucetVariables, readConfiguration, type FaucetConfiguration } from './configuration.js';
import { createServer } from './server.js';
import { FaucetWallet } from './wallet.js';

const USAGE = `Usage: npx pnpm@12.21.0 faucet [--help]

Gives coins and test tokens of both chains over HTTP, within limits. Environment
variables configure it.

${variablesHelp(faucetVariables)}
`;
/** Longer than a request that does not wait for a block. */
const EXIT_TIMEOUT_MS = 5_000;

/** Prints `--help`, or serves until a signal or the end of the parent process. */
export async function runFaucet(words: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(USAGE);
    return;
  }
  try {
    await serve(await readConfiguration(env));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(getExitCode(error));
  }
}

async function serve(configuration: FaucetConfiguration): Promise<void> {
  const { values, book, wallet } = configuration;
  const urls = { ethereum: values.ETHEREUM_RPC_URL, partner: values.PARTNER_RPC_URL };
  const connect = async (side: Side) => {
    const chain = chainClients(side, book[side].chainId, urls[side]);
    await assertChain(chain, side, book[side].chainId);
    return new FaucetWallet(chain, wallet, values.TRANSACTION_TIMEOUT_MS);
  };
  const [ethereum, partner] = await Promise.all([connect('ethereum'), connect('partner')]);
  const app = createServer(configuration, { ethereum, partner });
  const url = await app.listen({ host: values.HOST, port: values.PORT });
  const end = () => {
    setTimeout(() => process.exit(0), EXIT_TIMEOUT_MS).unref();
    void app.close().then(() => process.exit(0));
  };
  onEnd(end);
  // Sends the URL to a parent process.
  if (process.connected) process.send?.(url);
}

async function assertChain({ client }: ChainClients, side: Side, wanted: number): Promise<void> {
  const variable = `${side.toUpperCase()}_RPC_URL`;
  const chainId = await client.getChainId().catch((cause: unknown) => {
    throw new Error(`${variable} must name a node that answers`, { cause });
  });
  if (chainId !== wanted) {
    throw new ConfigurationError([
      `${variable} names a node of chain ${chainId}; it must be a node of chain ${wanted}`,
    ]);
  }
}
