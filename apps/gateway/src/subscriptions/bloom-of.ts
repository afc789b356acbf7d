import type { RpcHeader } from '../backends/backend.js';
import { Bloom } from './bloom.js';

/**
 * What a header says of its block's logs. Some nodes work out no blooms and answer zero: an empty one is believed only of a block that used no gas, else there may be
 * any log.
 */
export function bloomOf({ logsBloom, gasUsed }: RpcHeader): Bloom {
  const bloom = new Bloom(logsBloom);
  return bloom.isEmpty && gasUsed !== '0x0' ? new Bloom(null) : bloom;
}
