import type { SignerSettings } from '@causeway/chain/signers';
import { ConfigurationError, filePath, privateKey, wholeNumber } from '@causeway/configuration';
import type { ChainProfile } from '@causeway/protocol';
import type { Hex } from 'viem';
import { z } from 'zod';

const path = (content: string) => filePath(content).optional();

/** The variables that say where the key is. */
export const signerVariables = {
  ATTESTER_PRIVATE_KEY: privateKey.optional().meta({
    description: 'Private key of the attester. Only in the environment local.',
    isSecret: true,
  }),
  ATTESTER_KEYSTORE: path('an encrypted keystore').describe(
    'Path of the encrypted key (Web3 Secret Storage, version 3).',
  ),
  ATTESTER_KEYSTORE_PASSWORD_FILE: path('a file with the password').describe(
    'Path of the file whose first line is the password of ATTESTER_KEYSTORE.',
  ),
  ATTESTER_SIGNER_URL: z
    .url({ protocol: /^https$/, error: 'must be an https:// address' })
    .optional()
    .describe('HTTPS address of a remote signer (eth_signTypedData, as web3signer).'),
  ATTESTER_SIGNER_CERTIFICATE: path('a certificate (PEM)').describe(
    'Path of the client certificate that the remote signer accepts (PEM).',
  ),
  ATTESTER_SIGNER_CERTIFICATE_KEY: path('the key of the certificate (PEM)').describe(
    'Path of the key of the client certificate (PEM).',
  ),
  ATTESTER_SIGNER_CA: path('a certificate (PEM)').describe(
    'Path of the authority that signed the certificate of the remote signer (PEM).',
  ),
  ATTESTER_KMS_KEY_ID: z
    .string('must be the id, alias or ARN of a key')
    .optional()
    .describe('Id, alias or ARN of an AWS KMS key (ECC_SECG_P256K1). AWS_REGION and credentials as for AWS tools.'),
  ATTESTER_SIGNER_TIMEOUT_MS: wholeNumber(100)
    .default(5_000)
    .describe('How long one signature of a remote signer or of KMS may take, in milliseconds.'),
};

type SignerVariables = z.output<z.ZodObject<typeof signerVariables>>;

/** The variables of each kind. One of them is set as a whole, and none of the others. */
const NEEDED = {
  raw: ['ATTESTER_PRIVATE_KEY'],
  keystore: ['ATTESTER_KEYSTORE', 'ATTESTER_KEYSTORE_PASSWORD_FILE'],
  remote: [
    'ATTESTER_SIGNER_URL',
    'ATTESTER_SIGNER_CERTIFICATE',
    'ATTESTER_SIGNER_CERTIFICATE_KEY',
    'ATTESTER_SIGNER_CA',
  ],
  kms: ['ATTESTER_KMS_KEY_ID'],
} as const satisfies Readonly<Record<SignerSettings['kind'], readonly (keyof SignerVariables)[]>>;

const KINDS = ['raw', 'keystore', 'remote', 'kms'] as const;

/**
 * Reads where the key is.
 *
 * @throws ConfigurationError in one line for each problem. None contains a value.
 */
export function readSignerSettings(
  env: SignerVariables,
  { environment, partnerChainId, ethereumChainId }: ChainProfile,
): SignerSettings {
  if (environment !== 'local' && env.ATTESTER_PRIVATE_KEY !== undefined)
    throw new ConfigurationError(['ATTESTER_PRIVATE_KEY is for the environment local only: use another signer']);
  const [kind, other] = KINDS.filter((each) => NEEDED[each].some((name) => env[name] !== undefined));
  if (kind === undefined || other !== undefined) {
    const one = 'ATTESTER_KEYSTORE, ATTESTER_SIGNER_URL, ATTESTER_KMS_KEY_ID or, in local, ATTESTER_PRIVATE_KEY';
    throw new ConfigurationError([`One of ${one} must be set, and no variable of another signer`]);
  }
  const missing = NEEDED[kind].filter((name) => env[name] === undefined);
  if (missing.length > 0) throw new ConfigurationError(missing.map((name) => `${name} is not set; ${kind} needs it`));
  const valueOf = (name: keyof SignerVariables) => String(env[name]);
  const timeoutMs = env.ATTESTER_SIGNER_TIMEOUT_MS;
  switch (kind) {
    case 'raw':
      return { kind, privateKey: valueOf('ATTESTER_PRIVATE_KEY') as Hex };
    case 'keystore':
      return { kind, file: valueOf('ATTESTER_KEYSTORE'), passwordFile: valueOf('ATTESTER_KEYSTORE_PASSWORD_FILE') };
    case 'remote':
      return {
        kind,
        // Typed data are signed whatever the chain of the signer is.
        urls: new Map([ethereumChainId, partnerChainId].map((id) => [id, valueOf('ATTESTER_SIGNER_URL')])),
        certificateFile: valueOf('ATTESTER_SIGNER_CERTIFICATE'),
        certificateKeyFile: valueOf('ATTESTER_SIGNER_CERTIFICATE_KEY'),
        caFile: valueOf('ATTESTER_SIGNER_CA'),
        timeoutMs,
      };
    case 'kms':
      return { kind, keyId: valueOf('ATTESTER_KMS_KEY_ID'), timeoutMs };
  }
}
