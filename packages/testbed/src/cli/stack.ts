import { Command, InvalidArgumentError } from 'commander';
import { bootWorld } from '../world/boot-world.js';
import { DEFAULT_WORLD_OPTIONS, type WorldOptions } from '../world/world-options.js';
import { summarize } from './summarize.js';

interface Flags {
  readonly directory: string;
  readonly holdSeconds: number;
  readonly ethBlockSeconds: number;
  readonly partnerBlockSeconds: number;
  readonly portBase?: number;
  readonly databaseUrl?: string;
  readonly fresh?: boolean;
}

const seconds = (least: number) => (text: string) => {
  const value = Number(text);
  if (!Number.isFinite(value) || value < least)
    throw new InvalidArgumentError(`a number of seconds from ${least} is expected`);
  return value;
};
const port = (text: string) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 65_000)
    throw new InvalidArgumentError('a port from 1 to 65000 is expected');
  return value;
};

const flags = new Command('stack')
  .description(
    'Runs the whole bridge on this machine until Ctrl-C: two chains, PostgreSQL, contracts, relayer and API.',
  )
  .option('--hold-seconds <s>', 'security hold of withdrawals', seconds(0), DEFAULT_WORLD_OPTIONS.holdSeconds)
  .option(
    '--eth-block-seconds <s>',
    'time between Ethereum blocks',
    seconds(1),
    DEFAULT_WORLD_OPTIONS.ethereumBlockSeconds,
  )
  .option(
    '--partner-block-seconds <s>',
    'time between partner-chain blocks',
    seconds(1),
    DEFAULT_WORLD_OPTIONS.partnerBlockSeconds,
  )
  .option('--port-base <port>', 'first of three consecutive ports (default: 8545, 8546 and 3000, or free ones)', port)
  .option('--database-url <url>', 'an empty PostgreSQL database of your own (default: an embedded one)')
  .option('--directory <dir>', 'where state, logs and stack.json go', DEFAULT_WORLD_OPTIONS.directory)
  .option('--fresh', 'throw the chains and the database of an earlier run away')
  .parse()
  .opts<Flags>();

const options: WorldOptions = {
  ...DEFAULT_WORLD_OPTIONS,
  directory: flags.directory,
  holdSeconds: flags.holdSeconds,
  ethereumBlockSeconds: flags.ethBlockSeconds,
  partnerBlockSeconds: flags.partnerBlockSeconds,
  ...(flags.portBase === undefined ? {} : { portBase: flags.portBase }),
  ...(databaseUrl() === undefined ? {} : { databaseUrl: databaseUrl() ?? '' }),
  fresh: flags.fresh ?? false,
};

function databaseUrl(): string | undefined {
  return flags.databaseUrl ?? process.env['DATABASE_URL'];
}

try {
  const interrupted = new Promise<'interrupted'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('interrupted'));
  });
  const world = await bootWorld(options, (step) => console.log(`- ${step}`));
  console.log(summarize(world.stack, options.directory));
  const end = await Promise.race([interrupted, world.broken]);
  if (end !== 'interrupted') console.error(`\n${end}`);
  console.log('\nStopping.');
  await world.stop();
  process.exit(end === 'interrupted' ? 0 : 1);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
