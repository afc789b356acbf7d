import { BridgeError, listAssets, getToken, type AddressBook } from '@causeway/protocol';
import { zeroAddress, type Address } from 'viem';

/** Names a bridge address for use in a sentence; null for any other address, including the zero address. */
export function nameBridgeAddress(book: AddressBook, account: Address): string | null {
  const { ethereum, partner, relayer } = book;
  if (account === zeroAddress) return null;
  if (account === ethereum.bridgeLock) return 'BridgeLock, a contract of the bridge';
  if (account === partner.bridgeMint) return 'BridgeMint, a contract of the bridge';
  if (account === relayer) return 'the relayer wallet of the bridge';
  const onEthereum = listAssets().find((asset) => getToken(book, 'ethereum', asset) === account);
  if (onEthereum !== undefined) return `the contract of ${onEthereum} on Ethereum`;
  const onPartner = listAssets().find((asset) => getToken(book, 'partner', asset) === account);
  return onPartner === undefined ? null : `the contract of bridged ${onPartner} on the partner chain`;
}

/** @throws BridgeError VALIDATION_ERROR when the funds would be lost at the recipient. */
export function assertRecipientKeepsFunds(book: AddressBook, recipient: Address): void {
  const name = recipient === zeroAddress ? 'the zero address' : nameBridgeAddress(book, recipient);
  if (name === null) return;
  throw new BridgeError('VALIDATION_ERROR', `recipientAddress is ${name}; the funds would be lost there`, {
    field: 'recipientAddress',
  });
}
