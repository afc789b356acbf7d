import type { SyncState } from '../backends/backend.js';

/** What the subscription `syncing` delivers, as JSON, in geth's shape: `false`, or `{ syncing: true, status }`. */
export function syncNotification(state: SyncState): string {
  return JSON.stringify(state === false ? false : { syncing: true, status: state });
}
