import type { ConfigResponse, Side } from '@causeway/protocol';
import { fromViem, type Bridge, type Wallet } from '@causeway/sdk';
import { createWalletClient, http } from 'viem';
import type { Context } from '../command.js';
import { readAccount, type KeyOptions } from '../keys/read-account.js';
import { chooseNode } from '../settings/connection.js';

/** Reads the key and connects it to the node of a chain. */
export async function openWallet(
  context: Context,
  { fetch: fetchFn }: Bridge,
  config: ConfigResponse,
  side: Side,
  options: KeyOptions,
): Promise<Wallet> {
  const transport = http(chooseNode(context, config, side), { fetchFn });
  return fromViem(createWalletClient({ account: await readAccount(context, options), transport }));
}
