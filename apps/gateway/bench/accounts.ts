import { mnemonicToAccount } from 'viem/accounts';

/** The ten accounts that anvil and the development chain give money to. */
export const ACCOUNTS = Array.from({ length: 10 }, (_, addressIndex) =>
  mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex }),
);
