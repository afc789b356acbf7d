/** What can be subscribed to (spec "Events"). */
export type SubscriptionKind = 'newHeads' | 'logs' | 'pendingTransactions' | 'syncing';
