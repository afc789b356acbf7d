import { hexText } from './hex-text.js';

/** A storage slot, as a number with or without leading zeros; passed on as 32 bytes. */
export const storageSlot = hexText('0x[0-9a-fA-F]{1,64}', 'must be a storage slot: 0x and 1 to 64 hex digits')
  .overwrite((slot) => `0x${slot.slice(2).padStart(64, '0')}`)
  .meta({ id: 'StorageSlot', title: 'storage slot', description: 'A storage slot: 0x and 1 to 64 hex digits.' });
