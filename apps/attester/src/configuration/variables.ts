import { declareSigner, serviceVariables } from '@causeway/chain/configuration';
import { namedNodesVariables } from '@causeway/chain/named-nodes';
import { filePath, isUrl, list, wholeNumber } from '@causeway/service/configuration';
import { metricsVariables } from '@causeway/service/http';
import { isAddress, type Address } from 'viem';
import { z } from 'zod';

/** How many nodes each chain needs outside `local`. */
export const LEAST_NODES = 3;

const EXCHANGES_RULE = 'must be https:// addresses of different hosts, separated by commas';
const OPERATORS_RULE = 'must be addresses of operators, separated by commas, each once';
const LIMITS_RULE = 'must be amounts such as ETH=12.5, separated by commas, each asset once';
const ADDRESS_RULE = 'must be an address: 0x and 40 hex digits';

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

/** The location of the key. Typed data are signed regardless of a remote signer's chain. */
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
  ...namedNodesVariables(LEAST_NODES),
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
    .describe('Number of operators that must sign a refund: 2; in the environment local, 1 is allowed.'),
  EXCHANGE_URLS: list(EXCHANGES_RULE, (url) => isUrl(url, ['https:', 'http:']))
    .refine((urls) => new Set(urls.map((url) => URL.parse(url)?.host)).size === urls.length, EXCHANGES_RULE)
    .meta({
      description:
        "Addresses of the relayers' exchanges, to which the attester connects. http:// only to this machine, or in local.",
      example: 'http://127.0.0.1:8460',
    }),
  DATA_DIRECTORY: filePath('a directory').default('.causeway/attester').describe('Directory of the record.'),
  LIMITS_PER_HOUR: limits.describe(
    'The most of each asset that is signed for in an hour on each chain; at most the limits of the contracts. ' +
      'Required outside local.',
  ),
  LIMITS_PER_DELIVERY: limits.describe(
    'The largest delivery or refund of each asset that is signed; at most the limits of the contracts. Required outside local.',
  ),
  ATTEST_VALIDITY_SECONDS: wholeNumber(1, 600)
    .optional()
    .describe('Longest validity of a signature, and the wait after a start, in seconds. Only in local; elsewhere 600.'),
  ...metricsVariables,
  LOG_LEVEL: shared.shape.LOG_LEVEL,
});
