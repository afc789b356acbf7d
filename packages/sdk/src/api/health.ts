import type { HealthResponse } from '@causeway/protocol';
import type { Bridge } from '../bridge.js';
import { ask, type ReadOptions } from './request.js';
import { fields, list, optional, text, time, whole } from './shape.js';

type Halt = NonNullable<HealthResponse['halts']>[number];

const health = fields<HealthResponse>({
  status: text,
  components: fields<HealthResponse['components']>({}),
  halts: optional(list(fields<Halt>({ chainId: whole, since: time }))),
});

/**
 * Reads whether everything of the bridge works, and which chains its operators have halted. An unhealthy bridge is an
 * answer, not an error.
 *
 * @throws UnreachableError, AnswerError
 */
export async function getHealth(bridge: Bridge, options?: ReadOptions): Promise<HealthResponse> {
  return ask(bridge, 'health', health, { ...options, alsoStatus: 503 });
}
