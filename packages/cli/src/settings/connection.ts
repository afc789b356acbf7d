import type { ConfigResponse, Side } from '@causeway/protocol';
import { connectBridge, type Bridge } from '@causeway/sdk';
import type { Context } from '../command.js';
import { UsageError } from '../errors.js';
import { openProxies } from './proxy.js';

/** Returns the option, else the variable. An empty variable counts as not set. */
function choose(option: string | undefined, variable: string | undefined): string | undefined {
  return option ?? (variable === '' ? undefined : variable);
}

/** Whether an option or variable names an API. */
export function hasApi({ flags, env }: Context): boolean {
  return choose(flags.api, env['CAUSEWAY_API']) !== undefined;
}

/**
 * Returns the bridge that options and variables name.
 *
 * @throws UsageError when no API is named, or when the URL of a node or proxy or the address book is invalid.
 */
export async function connect(context: Context): Promise<Bridge> {
  const { flags, env } = context;
  const apiUrl = choose(flags.api, env['CAUSEWAY_API']);
  if (apiUrl === undefined)
    throw new UsageError('api', 'is missing', 'Give --api <url>, or set CAUSEWAY_API. Run causeway networks for more.');
  const { environment, addressBook } = flags;
  const partnerRpcUrl = findNode(context, 'partner');
  const fetch = await openProxies(context);
  return connectBridge({
    apiUrl,
    ...(fetch === undefined ? {} : { fetch }),
    ...(environment === undefined ? {} : { environment }),
    ...(partnerRpcUrl === undefined ? {} : { partnerRpcUrl }),
    ...(addressBook === undefined
      ? {}
      : { addressBook: await (await import('./address-book.js')).readAddressBook(addressBook) }),
  });
}

/** Returns the node of a chain by option or variable; undefined without either. */
export function findNode({ flags, env }: Context, side: Side): string | undefined {
  const url =
    side === 'ethereum'
      ? choose(flags.ethereumRpc, env['CAUSEWAY_ETHEREUM_RPC'])
      : choose(flags.partnerRpc, env['CAUSEWAY_PARTNER_RPC']);
  if (url !== undefined && !/^https?:\/\/./.test(url))
    throw new UsageError(`${side}-rpc`, 'must be an http:// or https:// URL');
  return url;
}

/**
 * Returns the node of a chain: by option or variable, else the public node that the API names.
 *
 * @throws UsageError without either.
 */
export function chooseNode(context: Context, config: ConfigResponse, side: Side): string {
  const url = findNode(context, side) ?? config[side].walletChain?.rpcUrls[0];
  if (url !== undefined) return url;
  const variable = `CAUSEWAY_${side.toUpperCase()}_RPC`;
  throw new UsageError(
    `${side}-rpc`,
    'is missing: the API names no public node of this chain',
    `Give --${side}-rpc <url>, or set ${variable}.`,
  );
}
