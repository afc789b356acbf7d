import { ConfigurationError, filePath, privateKey } from '@causeway/service/configuration';
import type { SignerSettings } from '@causeway/chain/signers';
import type { Environment } from '@causeway/protocol';
import { z } from 'zod';

/**
 * Where the pauser's key is stored. A keystore is only as safe as the machine, which suffices: the key can only pause.
 */
export type PauserSettings = Extract<SignerSettings, { kind: 'raw' | 'keystore' }>;

const path = (content: string) => filePath(content).optional();

/** The variables of the pauser's key. */
export const pauserVariables = {
  PAUSER_PRIVATE_KEY: privateKey.optional().meta({
    description: 'Private key of the pauser, which can only pause. Allowed only in the environment local.',
    isSecret: true,
  }),
  PAUSER_KEYSTORE: path('an encrypted keystore').describe(
    "Path of the pauser's encrypted key (Web3 Secret Storage, version 3), which can only pause.",
  ),
  PAUSER_KEYSTORE_PASSWORD_FILE: path('a file with the password').describe(
    'Path of the file whose first line is the password of PAUSER_KEYSTORE.',
  ),
};

type PauserVariables = z.output<z.ZodObject<typeof pauserVariables>>;

/**
 * Chooses the pauser's signer.
 *
 * @throws ConfigurationError
 */
export function readPauserSettings(env: PauserVariables, environment: Environment): PauserSettings {
  const { PAUSER_PRIVATE_KEY: key, PAUSER_KEYSTORE: file, PAUSER_KEYSTORE_PASSWORD_FILE: passwordFile } = env;
  if (environment !== 'local' && key !== undefined)
    throw new ConfigurationError(['PAUSER_PRIVATE_KEY is allowed only in the environment local; unset it']);
  if (key !== undefined && file !== undefined)
    throw new ConfigurationError(['PAUSER_PRIVATE_KEY and PAUSER_KEYSTORE are both set: unset one of them']);
  if (key !== undefined) return { kind: 'raw', privateKey: key };
  if (file !== undefined && passwordFile !== undefined) return { kind: 'keystore', file, passwordFile };
  throw new ConfigurationError(['PAUSER_KEYSTORE and PAUSER_KEYSTORE_PASSWORD_FILE are needed: set both']);
}
