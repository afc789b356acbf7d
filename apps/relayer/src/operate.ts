import { openStore } from '@causeway/store';
import { readConfiguration } from './config/configuration.js';
import { readRequest } from './operate/read-request.js';
import { connectChains } from './world/connect-chains.js';
import { signerOf } from './world/signer-of.js';

const say = (line: string) => void process.stdout.write(`${line}\n`);

try {
  const request = readRequest(process.argv.slice(2));
  if (request.kind === 'help') say(request.text);
  else await run(request.run);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function run(command: Extract<ReturnType<typeof readRequest>, { kind: 'run' }>['run']): Promise<void> {
  const configuration = readConfiguration(process.env);
  const { databaseUrl } = configuration;
  const store = openStore({ databaseUrl, maxConnections: 2, onIdleError: () => undefined });
  try {
    const [chains, signer] = [await connectChains(configuration), signerOf(configuration)];
    await command({ configuration, store, chains, signer, say });
  } finally {
    await store.close();
  }
}
