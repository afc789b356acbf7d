import { ConfigurationError, filePath, privateKey, wholeNumber } from '@causeway/service/configuration';
import type { ChainProfile } from '@causeway/protocol';
import type { Hex } from 'viem';
import { z } from 'zod';
import type { SignerSettings } from './open-signer.js';

const KINDS = ['raw', 'keystore', 'remote', 'kms'] as const;
type Kind = (typeof KINDS)[number];

const path = (content: string) => filePath(content).optional();
const declareUrl = (description: string) =>
  z
    .url({ protocol: /^https$/, error: 'must be an https:// address' })
    .optional()
    .describe(description);

/** The variables of a signer, without the prefix of their names. */
function declareVariables<Url extends string>(urls: Readonly<Record<Url, string>>) {
  const entries = Object.entries<string>(urls).map(([name, description]) => [name, declareUrl(description)]);
  return {
    SIGNER: z
      .enum(KINDS, `must be one of ${KINDS.join(', ')}`)
      .optional()
      .describe('Where the key is. Not needed if the variables of only one signer are set.'),
    PRIVATE_KEY: privateKey.optional().meta({
      description: 'raw: the private key. Only in the environment local.',
      isSecret: true,
    }),
    KEYSTORE: path('an encrypted keystore').describe(
      'keystore: path of the encrypted key (Web3 Secret Storage, version 3).',
    ),
    KEYSTORE_PASSWORD_FILE: path('a file with the password').describe(
      'keystore: path of the file whose first line is the password.',
    ),
    ...(Object.fromEntries(entries) as Record<Url, ReturnType<typeof declareUrl>>),
    SIGNER_CERTIFICATE: path('a certificate (PEM)').describe(
      'remote: path of the client certificate for the signer (PEM).',
    ),
    SIGNER_CERTIFICATE_KEY: path('the key of the certificate (PEM)').describe(
      'remote: path of the key of the client certificate (PEM).',
    ),
    SIGNER_CA: path('a certificate (PEM)').describe(
      "remote: path of the authority that signed the signer's certificate (PEM).",
    ),
    KMS_KEY_ID: z
      .string('must be the id, alias or ARN of a key')
      .optional()
      .describe(
        'kms: id, alias or ARN of an AWS KMS key (ECC_SECG_P256K1). AWS_REGION and credentials as for AWS tools.',
      ),
    SIGNER_TIMEOUT_MS: wholeNumber(100)
      .default(5_000)
      .describe('remote and kms: timeout of one signature, in milliseconds.'),
  };
}

type Variables<Url extends string> = ReturnType<typeof declareVariables<Url>>;
type Prefixed<Prefix extends string, Shape> = {
  [Name in keyof Shape & string as `${Prefix}_${Name}`]: Shape[Name];
};

/**
 * Declares the variables that say where a service's key is.
 *
 * @param prefix of each name, such as `RELAYER`.
 * @param urls the names of the variables for a remote signer, with their descriptions: one for both chains, or one for
 *   Ethereum and one for the partner chain.
 * @returns the variables, and `read`, which chooses the signer that `<prefix>_SIGNER` names, else the only one whose
 *   variables are set. `read` throws a ConfigurationError with one line for each problem, without values.
 */
export function declareSigner<Prefix extends string, Url extends string>(
  prefix: Prefix,
  urls: Readonly<Record<Url, string>>,
): {
  readonly variables: Prefixed<Prefix, Variables<Url>>;
  readonly read: (env: Readonly<Record<string, unknown>>, profile: ChainProfile) => SignerSettings;
} {
  const variables = Object.entries(declareVariables(urls)).map(([name, type]) => [`${prefix}_${name}`, type]);
  return {
    variables: Object.fromEntries(variables) as Prefixed<Prefix, Variables<Url>>,
    read: (env, profile) => readSigner(prefix, Object.keys(urls), env, profile),
  };
}

function readSigner(
  prefix: string,
  urls: readonly string[],
  env: Readonly<Record<string, unknown>>,
  { environment, ethereumChainId, partnerChainId }: ChainProfile,
): SignerSettings {
  const find = (name: string) => env[`${prefix}_${name}`];
  /** The variables that each kind needs. */
  const needed: Readonly<Record<Kind, readonly string[]>> = {
    raw: ['PRIVATE_KEY'],
    keystore: ['KEYSTORE', 'KEYSTORE_PASSWORD_FILE'],
    remote: [...urls, 'SIGNER_CERTIFICATE', 'SIGNER_CERTIFICATE_KEY', 'SIGNER_CA'],
    kms: ['KMS_KEY_ID'],
  };
  if (environment !== 'local' && find('PRIVATE_KEY') !== undefined) {
    throw new ConfigurationError([
      `${prefix}_PRIVATE_KEY is for the environment local only, because a raw key in a variable is easy to read: ` +
        `unset it, and choose another signer (${KINDS.filter((kind) => kind !== 'raw').join(', ')})`,
    ]);
  }
  const configured = KINDS.filter((kind) => needed[kind].some((name) => find(name) !== undefined));
  const kind = (find('SIGNER') as Kind | undefined) ?? chooseOnly(prefix, configured);
  const missing = needed[kind].filter((name) => find(name) === undefined);
  if (missing.length > 0)
    throw new ConfigurationError(missing.map((name) => `${prefix}_${name} is not set; the signer "${kind}" needs it`));
  const valueOf = (name: string) => String(find(name));
  const timeoutMs = Number(find('SIGNER_TIMEOUT_MS'));
  switch (kind) {
    case 'raw':
      return { kind, privateKey: valueOf('PRIVATE_KEY') as Hex };
    case 'keystore':
      return { kind, file: valueOf('KEYSTORE'), passwordFile: valueOf('KEYSTORE_PASSWORD_FILE') };
    case 'remote': {
      const [ethereum = '', partner = ethereum] = urls.map(valueOf);
      return {
        kind,
        urls: new Map([
          [ethereumChainId, ethereum],
          [partnerChainId, partner],
        ]),
        certificateFile: valueOf('SIGNER_CERTIFICATE'),
        certificateKeyFile: valueOf('SIGNER_CERTIFICATE_KEY'),
        caFile: valueOf('SIGNER_CA'),
        timeoutMs,
      };
    }
    case 'kms':
      return { kind, keyId: valueOf('KMS_KEY_ID'), timeoutMs };
  }
}

function chooseOnly(prefix: string, configured: readonly Kind[]): Kind {
  const [kind, other] = configured;
  if (kind !== undefined && other === undefined) return kind;
  throw new ConfigurationError([
    kind === undefined
      ? `${prefix}_SIGNER is not set; it must be one of ${KINDS.join(', ')}, with the variables of that signer`
      : `${prefix}_SIGNER must say which signer to use: the variables of ${configured.join(' and ')} are set`,
  ]);
}
