import 'reflect-metadata';
import { getExitCode } from '@causeway/service/configuration';
import { onEnd } from '@causeway/service/http';
import { NestFactory } from '@nestjs/core';
import type { Configuration } from './configuration.js';
import { closeChains, connectInfrastructure, type Infrastructure } from './infrastructure.js';
import { RelayerModule } from './relayer.module.js';
import type { StageTracing } from './stage-tracing.js';

/** Time for an orderly shutdown, below a container's ten seconds. The process exits after it in any case. */
const SHUTDOWN_MS = 9_000;

/**
 * Starts the service: all stages, until a signal or the end of the parent process.
 *
 * @throws Error when the database, clock, nodes or address book do not match the configuration. No stage has run then.
 */
export async function startService(configuration: Configuration): Promise<void> {
  const tracing = await startStageTracing(configuration);
  const infrastructure = await connectInfrastructure(configuration, {}, tracing);
  await refuseHalfRebuilt(infrastructure);
  const app = await NestFactory.createApplicationContext(RelayerModule.from(infrastructure), {
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  const shutDown = (exitCode = 0) => {
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
    void app.close().finally(() => process.exit(exitCode));
  };
  onEnd(() => shutDown());
  // Nodes that were unavailable at the start can later show that the configuration is wrong.
  infrastructure.chainsChecked.catch((error: unknown) => {
    infrastructure.logger.fatal({ err: error }, 'the configuration does not match the chains; stopping the relayer');
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    shutDown(getExitCode(error));
  });
}

/** Loads OpenTelemetry only when a collector is configured. */
async function startStageTracing({ tracing }: Configuration): Promise<StageTracing | null> {
  if (tracing === null) return null;
  const { StageTracing } = await import('./stage-tracing.js');
  return new StageTracing(tracing);
}

async function refuseHalfRebuilt({ store, chains }: Infrastructure): Promise<void> {
  try {
    // Without the released intents, their payments would look like theft.
    if ((await store.rebuild.state()) === 'unfinished')
      throw new Error(
        'A rebuild of this database is not finished: run `relayer rebuild` again, then start the relayer',
      );
  } catch (error) {
    closeChains(chains);
    await store.close();
    throw error;
  }
}
