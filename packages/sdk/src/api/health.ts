import type { HealthResponse } from '@causeway/protocol';
import type { Bridge } from '../bridge.js';
import type { ReadOptions } from '../read.js';
import { ask } from './request.js';
import { fields, list, optional, text, time, whole } from './shape.js';

type Halt = NonNullable<HealthResponse['halts']>[number];

const health = fields<HealthResponse>({
  status: text,
  components: fields<HealthResponse['components']>({}),
  halts: optional(list(fields<Halt>({ chainId: whole, since: time }))),
});

/**
 * Reads the health of the bridge and its halted chains. An unhealthy bridge is a result, not an error.
 *
 * @throws UnreachableError, AnswerError
 */
export async function getHealth(bridge: Bridge, options?: ReadOptions): Promise<HealthResponse> {
  return ask(bridge, 'health', health, { ...options, alsoStatus: 503 });
}
