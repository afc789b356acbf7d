import { allowListVariable, type AllowList } from '@causeway/chain/configuration';
import { ConfigurationError, isOrigin, listenHost, listenPort } from '@causeway/service/configuration';
import { trustedProxyHops } from '@causeway/service/http';
import { isAddress, type Address } from 'viem';
import { createSiweMessage } from 'viem/siwe';
import { z } from 'zod';

const ORIGIN_RULE =
  'must be the origin of the console such as https://console.example: a domain name, an IPv4 address or localhost';

const NAMES_RULE =
  'must be names such as 0xabc…:Ada, separated by commas; addresses and names are unique, and a name has up to 32 characters';

/** Member names by lower-case address. */
export type MemberNames = ReadonlyMap<Address, string>;

const memberNames = z
  .string(NAMES_RULE)
  .transform((list, context): MemberNames => {
    const names = new Map<Address, string>();
    const taken = new Set<string>();
    for (const entry of list.split(',')) {
      const [address = '', name = '', ...rest] = entry.split(':').map((each) => each.trim());
      const member = address.toLowerCase() as Address;
      const isName = /^[\p{L}\p{N} .'-]{1,32}$/u.test(name) && !taken.has(name);
      if (!isName || rest.length > 0 || !isAddress(address) || names.has(member)) {
        context.addIssue(NAMES_RULE);
        return z.NEVER;
      }
      taken.add(name);
      names.set(member, name);
    }
    return names;
  })
  .optional();

/** Variables of the admin API, which runs only when ADMIN_PORT is set. */
export const adminVariables = {
  ADMIN_HOST: listenHost.describe('Listen address of the admin API and the console. Never use a public address.'),
  ADMIN_PORT: listenPort
    .optional()
    .describe(
      'Port of the admin API and the console; unset disables both. 0 picks a free port and requires ADMIN_ORIGIN.',
    ),
  ADMIN_ORIGIN: z
    .string(ORIGIN_RULE)
    .refine((text) => isOrigin(text) && isDomain(new URL(text).host), ORIGIN_RULE)
    .optional()
    .describe('Origin at which browsers reach the console. Default: http://ADMIN_HOST:ADMIN_PORT.'),
  ADMIN_ALLOW_LIST: allowListVariable,
  ADMIN_NAMES: memberNames.describe(
    'Names that the console shows for members, including members added by requests, each as address:name.',
  ),
  ADMIN_TRUSTED_PROXY_HOPS: trustedProxyHops.describe(
    'Number of your own proxies in front of the admin API, whose X-Forwarded-For entries are trusted.',
  ),
};

export interface AdminConfiguration {
  readonly host: string;
  readonly port: number;
  /** Origin of the console in browsers, such as https://console.example. */
  readonly origin: string;
  readonly allowList: AllowList;
  readonly names: MemberNames;
  readonly trustedProxyHops: number;
}

/**
 * Reads the configuration of the admin API.
 *
 * @returns null without ADMIN_PORT.
 * @throws ConfigurationError when the allow-list is missing or has no admin.
 */
export function readAdminConfiguration(
  values: z.output<z.ZodObject<typeof adminVariables>>,
): AdminConfiguration | null {
  const { ADMIN_HOST: host, ADMIN_PORT: port, ADMIN_ORIGIN: origin, ADMIN_ALLOW_LIST: allowList } = values;
  if (port === undefined) return null;
  if (allowList === undefined)
    throw new ConfigurationError([
      'ADMIN_ALLOW_LIST is not set; with ADMIN_PORT it must name the members of the console',
    ]);
  if (origin === undefined && (port === 0 || !isDomain(`${host}:${port}`)))
    throw new ConfigurationError([
      `ADMIN_ORIGIN is not set; with ADMIN_HOST ${host} and ADMIN_PORT ${port} it ${ORIGIN_RULE}`,
    ]);
  return {
    host,
    port,
    origin: origin ?? `http://${host}:${port}`,
    allowList,
    names: values.ADMIN_NAMES ?? new Map(),
    trustedProxyHops: values.ADMIN_TRUSTED_PROXY_HOPS,
  };
}

/** Whether viem accepts it as an EIP-4361 domain; otherwise wallets cannot sign in. */
function isDomain(domain: string): boolean {
  const address = `0x${'0'.repeat(40)}` as const;
  try {
    createSiweMessage({ address, domain, chainId: 1, nonce: 'a'.repeat(8), uri: 'https://a.example', version: '1' });
    return true;
  } catch {
    return false;
  }
}
