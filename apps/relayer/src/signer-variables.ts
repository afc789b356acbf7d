import { ConfigurationError, filePath, privateKey, wholeNumber } from '@causeway/configuration';
import type { SignerSettings } from '@causeway/chain';
import type { ChainProfile } from '@causeway/protocol';
import type { Hex } from 'viem';
import { z } from 'zod';

/** Where the pauser's key is. A keystore is as safe as the machine: the pauser's key can only pause. */
export type PauserSettings = Extract<SignerSettings, { kind: 'raw' | 'keystore' }>;

const KINDS = ['raw', 'keystore', 'remote', 'kms'] as const;
type Kind = (typeof KINDS)[number];

const path = (content: string) => filePath(content).optional();
const httpsUrl = z.url({ protocol: /^https$/, error: 'must be an https:// address' }).optional();

/** The variables that say where the key of the relayer wallet is. */
export const signerVariables = {
  RELAYER_SIGNER: z
    .enum(KINDS, `must be one of ${KINDS.join(', ')}`)
    .optional()
    .describe('Where the key of the wallet is. Not needed when the variables of one are set.'),
  RELAYER_PRIVATE_KEY: privateKey.optional().meta({
    description: 'raw: private key of the wallet. Only in the environment local.',
    isSecret: true,
  }),
  RELAYER_KEYSTORE: path('an encrypted keystore').describe(
    'keystore: path of the encrypted key (Web3 Secret Storage, version 3).',
  ),
  RELAYER_KEYSTORE_PASSWORD_FILE: path('a file with the password').describe(
    'keystore: path of the file whose first line is the password.',
  ),
  RELAYER_SIGNER_ETHEREUM_URL: httpsUrl.describe(
    'remote: HTTPS address of the signer for Ethereum (eth_signTransaction, as web3signer).',
  ),
  RELAYER_SIGNER_PARTNER_URL: httpsUrl.describe(
    'remote: the same for the partner chain. A web3signer signs for one chain.',
  ),
  RELAYER_SIGNER_CERTIFICATE: path('a certificate (PEM)').describe(
    'remote: path of the client certificate that the signer accepts (PEM).',
  ),
  RELAYER_SIGNER_CERTIFICATE_KEY: path('the key of the certificate (PEM)').describe(
    'remote: path of the key of the client certificate (PEM).',
  ),
  RELAYER_SIGNER_CA: path('a certificate (PEM)').describe(
    'remote: path of the authority that signed the certificate of the signer (PEM).',
  ),
  RELAYER_KMS_KEY_ID: z
    .string('must be the id, alias or ARN of a key')
    .optional()
    .describe(
      'kms: id, alias or ARN of an AWS KMS key (ECC_SECG_P256K1). AWS_REGION and credentials as for AWS tools.',
    ),
  RELAYER_SIGNER_TIMEOUT_MS: wholeNumber(100)
    .default(5_000)
    .describe('remote and kms: how long one signature may take, in milliseconds.'),
};

/** The variables that say where the pauser's key is. Without one of them the watch pauses no contract. */
export const pauserVariables = {
  PAUSER_PRIVATE_KEY: privateKey.optional().meta({
    description: 'Private key of the pauser, with which the watch pauses deliveries. Only in the environment local.',
    isSecret: true,
  }),
  PAUSER_KEYSTORE: path('an encrypted keystore').describe(
    'Path of the encrypted key of the pauser (Web3 Secret Storage, version 3), with which the watch pauses deliveries.',
  ),
  PAUSER_KEYSTORE_PASSWORD_FILE: path('a file with the password').describe(
    'Path of the file whose first line is the password of PAUSER_KEYSTORE.',
  ),
};

type PauserVariables = z.output<z.ZodObject<typeof pauserVariables>>;
type SignerVariables = z.output<z.ZodObject<typeof signerVariables>>;

/** The variables that each kind needs. */
const NEEDED = {
  raw: ['RELAYER_PRIVATE_KEY'],
  keystore: ['RELAYER_KEYSTORE', 'RELAYER_KEYSTORE_PASSWORD_FILE'],
  remote: [
    'RELAYER_SIGNER_ETHEREUM_URL',
    'RELAYER_SIGNER_PARTNER_URL',
    'RELAYER_SIGNER_CERTIFICATE',
    'RELAYER_SIGNER_CERTIFICATE_KEY',
    'RELAYER_SIGNER_CA',
  ],
  kms: ['RELAYER_KMS_KEY_ID'],
} as const satisfies Readonly<Record<Kind, readonly (keyof SignerVariables)[]>>;

/**
 * Chooses the signer: the one that RELAYER_SIGNER names, else the only one whose variables are set.
 *
 * @throws ConfigurationError in one line for each problem. None contains a value.
 */
export function readSignerSettings(
  env: SignerVariables,
  { environment, ethereumChainId, partnerChainId }: ChainProfile,
): SignerSettings {
  if (environment !== 'local' && env.RELAYER_PRIVATE_KEY !== undefined) {
    throw new ConfigurationError([
      'RELAYER_PRIVATE_KEY is for the environment local only, since a raw key in a variable is easily read: unset it, ' +
        `and choose another signer (${KINDS.filter((kind) => kind !== 'raw').join(', ')})`,
    ]);
  }
  const kind = env.RELAYER_SIGNER ?? onlyConfigured(env);
  const missing = NEEDED[kind].filter((name) => env[name] === undefined);
  if (missing.length > 0)
    throw new ConfigurationError(missing.map((name) => `${name} is not set; the signer "${kind}" needs it`));
  const valueOf = (name: keyof SignerVariables) => String(env[name]);
  const timeoutMs = env.RELAYER_SIGNER_TIMEOUT_MS;
  switch (kind) {
    case 'raw':
      return { kind, privateKey: valueOf('RELAYER_PRIVATE_KEY') as Hex };
    case 'keystore':
      return {
        kind,
        file: valueOf('RELAYER_KEYSTORE'),
        passwordFile: valueOf('RELAYER_KEYSTORE_PASSWORD_FILE'),
      };
    case 'remote':
      return {
        kind,
        urls: new Map([
          [ethereumChainId, valueOf('RELAYER_SIGNER_ETHEREUM_URL')],
          [partnerChainId, valueOf('RELAYER_SIGNER_PARTNER_URL')],
        ]),
        certificateFile: valueOf('RELAYER_SIGNER_CERTIFICATE'),
        certificateKeyFile: valueOf('RELAYER_SIGNER_CERTIFICATE_KEY'),
        caFile: valueOf('RELAYER_SIGNER_CA'),
        timeoutMs,
      };
    case 'kms':
      return { kind, keyId: valueOf('RELAYER_KMS_KEY_ID'), timeoutMs };
  }
}

function onlyConfigured(env: SignerVariables): Kind {
  const configured = KINDS.filter((kind) => NEEDED[kind].some((name) => env[name] !== undefined));
  const [kind, other] = configured;
  if (kind !== undefined && other === undefined) return kind;
  throw new ConfigurationError([
    kind === undefined
      ? `RELAYER_SIGNER is not set; it must be one of ${KINDS.join(', ')}, with the variables of that signer`
      : `RELAYER_SIGNER must say which signer to use: the variables of ${configured.join(' and ')} are set`,
  ]);
}

/**
 * Chooses the signer of the pauser; null when none is configured.
 *
 * @throws ConfigurationError
 */
export function readPauserSettings(
  env: PauserVariables,
  { environment }: Pick<ChainProfile, 'environment'>,
): PauserSettings | null {
  const { PAUSER_PRIVATE_KEY: key, PAUSER_KEYSTORE: file, PAUSER_KEYSTORE_PASSWORD_FILE: passwordFile } = env;
  if (environment !== 'local' && key !== undefined)
    throw new ConfigurationError(['PAUSER_PRIVATE_KEY is for the environment local only: unset it']);
  if (key !== undefined && file !== undefined)
    throw new ConfigurationError(['PAUSER_PRIVATE_KEY and PAUSER_KEYSTORE are both set: unset one of them']);
  if (key !== undefined) return { kind: 'raw', privateKey: key };
  if (file !== undefined && passwordFile !== undefined) return { kind: 'keystore', file, passwordFile };
  if (file === undefined && passwordFile === undefined) return null;
  throw new ConfigurationError(['PAUSER_KEYSTORE and PAUSER_KEYSTORE_PASSWORD_FILE need each other: set both']);
}
