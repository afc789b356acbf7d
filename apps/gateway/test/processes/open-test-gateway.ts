import { pino } from 'pino';
import { readConfiguration } from '../../src/config/read-configuration.js';
import { openGateway } from '../../src/open-gateway.js';

/** A gateway within the test's process, put together as `main` does it. */
export interface TestGateway {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly close: () => Promise<void>;
}

/** Without the limits of public endpoints: a test asks more than a client may. */
const NO_LIMITS = { RATE_LIMIT_PER_SECOND: '0', RATE_LIMIT_PER_MINUTE: '0', WS_CONNECTIONS_PER_IP: '0' };

/** @param env environment variables of the gateway; it listens on a free port. */
export async function openTestGateway(env: Readonly<Record<string, string>>): Promise<TestGateway> {
  const configuration = readConfiguration({ PORT: '0', LOG_LEVEL: 'warn', ...NO_LIMITS, ...env });
  const app = await openGateway(configuration, pino({ level: configuration.logLevel }));
  await app.listen(0, '127.0.0.1');
  const { host } = new URL(await app.getUrl());
  return { httpUrl: `http://${host}/`, wsUrl: `ws://${host}/ws`, close: () => app.close() };
}
