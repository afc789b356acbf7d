// The admin API: paths are relative to `/api/v1/admin` on its own listener. It is not part of the public API.
export { assetInfo, getCoin, listAssets, setAssets } from '../assets.js';
export * from './access.js';
export * from './actions/fields.js';
export * from './actions/table.js';
export type { Action, OneApprovalUpTo } from './actions/action.js';
export { amountWords, chainWords, type ChainIds } from './actions/words.js';
export * from './admin-error.js';
export * from './alerts.js';
export * from './approvals.js';
export * from './contract-calls.js';
export * from './delays.js';
export * from './notifications.js';
export * from './reads.js';
export * from './request-snapshot-version.js';
export * from './request-snapshot.js';
export * from './request-words.js';
export * from './requests.js';
export * from './roles.js';
