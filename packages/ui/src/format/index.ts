export { setAssets } from '@causeway/protocol/admin';
export { formatAmount, formatUnits, formatWei, groupDigits, shorten } from './amounts.js';
export { formatDuration, formatLocal } from './times.js';
export {
  DELAY_WORDS,
  DIRECTION_WORDS,
  KIND_WORDS,
  nameWords,
  REFUND_LABELS,
  SIDE_WORDS,
  STATUS_LABELS,
  type Label,
} from './words.js';
