import { declareSigner, serviceVariables } from '@causeway/chain/configuration';
import { filePath, isUrl, list, wholeNumber } from '@causeway/service/configuration';
import { metricsVariables } from '@causeway/service/http';
import { isAddress, type Address } from 'viem';
import { z } from 'zod';

const NODES_RULE = 'must be nodes such as operator=https://node.example, separated by commas';
const EXCHANGES_RULE = 'must be https:// addresses of different hosts, separated by commas';
const OPERATORS_RULE = 'must be addresses of operators, separated by commas, each once';
const LIMITS_RULE = 'must be amounts such as ETH=12.5, separated by commas, each asset once';
const ADDRESS_RULE = 'must be an address: 0x and 40 hex digits';

/** A node as the operator of the attester names it. */
export interface NamedNode {
  /** The organisation that runs it. */
  readonly operator: string;
  readonly url: string;
}

const nodes = z.string(NODES_RULE).transform((text, context): readonly NamedNode[] => {
  const found = text.split(',').map((entry) => /^([\w.-]{1,40})=(.+)$/.exec(entry.trim()));
  const named = found.flatMap((match) => {
    const [, operator = '', url = ''] = match ?? [];
    return isUrl(url, ['http:', 'https:']) ? [{ operator, url }] : [];
  });
  if (named.length === found.length) return named;
  context.addIssue(NODES_RULE);
  return z.NEVER;
});

const limits = z
  .string(LIMITS_RULE)
  .transform((text, context): ReadonlyMap<string, string> => {
    const found = text.split(',').map((entry) => /^([A-Z0-9]{1,12})=(\d{1,12}(?:\.\d{1,18})?)$/.exec(entry.trim()));
    const amounts = new Map(found.map((match) => [match?.[1] ?? '', match?.[2] ?? '']));
    if (!amounts.has('') && amounts.size === found.length) return amounts;
    context.addIssue(LIMITS_RULE);
    return z.NEVER;
  })
  .optional();

const shared = serviceVariables.pick({
  ENVIRONMENT: true,
  ADDRESS_BOOK: true,
  HOLD_SECONDS: true,
  ETHEREUM_CONFIRMATIONS: true,
  PARTNER_CONFIRMATIONS: true,
  LOG_LEVEL: true,
});

/** Where the key is. Typed data are signed whatever the chain of a remote signer is. */
export const attesterSigner = declareSigner('ATTESTER', {
  SIGNER_URL: 'remote: HTTPS address of the signer (eth_signTypedData, as web3signer).',
});

/** Every environment variable of the attester. */
export const attesterVariables = z.object({
  ENVIRONMENT: shared.shape.ENVIRONMENT,
  ADDRESS_BOOK: shared.shape.ADDRESS_BOOK,
  ATTESTER_ADDRESS: z
    .string(ADDRESS_RULE)
    .refine((text) => isAddress(text), ADDRESS_RULE)
    .transform((text) => text.toLowerCase() as Address)
    .meta({
      description: 'Address of the key, a member of the attester sets of both contracts. It holds no coins.',
      example: '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
    }),
  ...attesterSigner.variables,
  ETHEREUM_RPC_URLS: nodes.meta({
    description:
      'JSON-RPC addresses of Ethereum nodes, each with a name for the organisation that runs it. Outside local at ' +
      'least 3 of 2 organisations. An address may hold a key for its node, as https://name:key@host.',
    isSecret: true,
    example: 'own=http://127.0.0.1:8545',
  }),
  PARTNER_RPC_URLS: nodes.meta({
    description: 'JSON-RPC addresses of partner chain nodes, likewise.',
    isSecret: true,
    example: 'own=http://127.0.0.1:7546',
  }),
  ETHEREUM_QUORUM: wholeNumber(1)
    .optional()
    .describe('Number of Ethereum nodes that must agree, more than half of them. By default the majority.'),
  PARTNER_QUORUM: wholeNumber(1).optional().describe('Number of partner chain nodes that must agree, likewise.'),
  ETHEREUM_CONFIRMATIONS: shared.shape.ETHEREUM_CONFIRMATIONS,
  PARTNER_CONFIRMATIONS: shared.shape.PARTNER_CONFIRMATIONS,
  HOLD_SECONDS: shared.shape.HOLD_SECONDS,
  OPERATORS: z
    .string(OPERATORS_RULE)
    .transform((text) => text.toLowerCase().split(',') as Address[])
    .refine((all) => all.every((one) => isAddress(one)) && new Set(all).size === all.length, OPERATORS_RULE)
    .meta({
      description: "Addresses of the operators whose signatures count for refunds: this attester's own list.",
      example: '0x71bE63f3384f5fb98995898A86B02Fb2426c5788,0xFABB0ac9d68B0B445fB7357272Ff202C5651694a',
    }),
  OPERATORS_NEEDED: wholeNumber(1, 2)
    .default(2)
    .describe('Number of operators that must sign a refund: two, or one in the environment local.'),
  EXCHANGE_URLS: list(EXCHANGES_RULE, (url) => isUrl(url, ['https:', 'http:']))
    .refine((urls) => new Set(urls.map((url) => URL.parse(url)?.host)).size === urls.length, EXCHANGES_RULE)
    .meta({
      description:
        'Addresses of the exchanges of relayers, to which the attester dials. http:// only to this machine, or in local.',
      example: 'http://127.0.0.1:8460',
    }),
  DATA_DIRECTORY: filePath('a directory').default('.causeway/attester').describe('Directory of the record.'),
  LIMITS_PER_HOUR: limits.describe(
    'The most that is signed for in an hour on each chain, of each asset; not above the limits of the contracts. ' +
      'Required outside local.',
  ),
  LIMITS_PER_DELIVERY: limits.describe('The largest delivery or refund that is signed for, of each asset, likewise.'),
  ATTEST_VALIDITY_SECONDS: wholeNumber(1, 600)
    .optional()
    .describe('How long a signature may be valid, and how long a start waits. Only in local; elsewhere 600.'),
  ...metricsVariables,
  LOG_LEVEL: shared.shape.LOG_LEVEL,
});
