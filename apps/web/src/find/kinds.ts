import type { BridgeOperationResponse, OperationIdentifier, Side } from '@causeway/sdk';
import type { Settings } from '../settings/settings.js';

/** The kinds of transfers. */
export type Kind = 'DEPOSIT' | 'BURN' | 'NATIVE_WITHDRAWAL' | 'INTENT' | 'TRANSFER';

/** Returns the kind of a transfer, by its ids. */
export function getKind({ depositId, withdrawId, intentId, asset }: BridgeOperationResponse): Kind {
  if (depositId !== null) return 'DEPOSIT';
  if (intentId !== null) return 'INTENT';
  if (withdrawId === null) return 'TRANSFER';
  return asset === 'XCN' ? 'NATIVE_WITHDRAWAL' : 'BURN';
}

/** Returns how the status names a transfer; null for a payment that crosses no bridge, which never changes. */
export function findIdentifier({
  depositId,
  withdrawId,
  intentId,
}: BridgeOperationResponse): OperationIdentifier | null {
  if (depositId !== null) return { depositId };
  if (intentId !== null) return { intentId };
  return withdrawId === null ? null : { withdrawId };
}

/** Returns whether a text is a hash or an id. */
export function isHash(text: string): text is `0x${string}` {
  return /^0x[\da-f]{64}$/i.test(text);
}

/** Returns the side of a chain. */
export function getSide({ addressBook }: Settings, chainId: number): Side {
  return chainId === addressBook.ethereum.chainId ? 'ethereum' : 'partner';
}
