import {
  allowListVariable,
  oneApprovalVariables,
  readAddressBook,
  readDatabaseUrl,
  readOneApprovalUpTo,
  serviceVariables,
} from '@causeway/chain/configuration';
import { decryptKeystore } from '@causeway/chain';
import { ConfigurationError, filePath, privateKey, readVariables } from '@causeway/service/configuration';
import { chainProfile, type ChainProfile } from '@causeway/protocol';
import { requestDeployment, type OneApprovalUpTo, type RequestDeployment } from '@causeway/protocol/admin';
import { isAddress, type Address, type Hex } from 'viem';
import { z } from 'zod';

/** Lists the addresses whose signatures the relayer accepts. Lower-case. */
export interface ApprovalPolicy {
  readonly operators: readonly Address[];
  /** The addresses that can approve changes to the console's members. */
  readonly rootAdmins: readonly Address[];
  readonly oneApprovalUpTo: OneApprovalUpTo;
}

const OPERATORS_RULE = 'must be addresses of operators, separated by commas, each once';

/** The variables that list whose signatures count for operators' requests. */
export const approvalVariables = {
  OPERATORS: z
    .string(OPERATORS_RULE)
    .transform((text) => (text === '' ? [] : text.toLowerCase().split(',')) as Address[])
    .refine((all) => all.every((one) => isAddress(one)) && new Set(all).size === all.length, OPERATORS_RULE)
    .optional()
    .describe(
      'Addresses of the operators whose signatures count for refunds and other requests. Two of them must sign each.',
    ),
  ADMIN_ALLOW_LIST: allowListVariable,
  ...oneApprovalVariables,
};

/** The variables of an operator's own key, for the commands that sign a decision. The service does not read them. */
export const operatorVariables = {
  OPERATOR_PRIVATE_KEY: privateKey.optional().meta({
    description: 'Private key of the operator who runs a refund command. Allowed only in the environment local.',
    isSecret: true,
  }),
  OPERATOR_KEYSTORE: filePath('an encrypted keystore')
    .optional()
    .describe("Path of the operator's encrypted key (Web3 Secret Storage, version 3). Only refund commands read it."),
  OPERATOR_KEYSTORE_PASSWORD_FILE: filePath('a file with the password')
    .optional()
    .describe('Path of the file whose first line is the password of OPERATOR_KEYSTORE.'),
};

/**
 * Reads whose signatures the relayer accepts.
 *
 * @throws ConfigurationError when REFUND_ONE_APPROVAL_* allows a single approval outside `local`.
 */
export function readApprovalPolicy(
  env: z.output<z.ZodObject<typeof approvalVariables>>,
  { environment }: Pick<ChainProfile, 'environment'>,
): ApprovalPolicy {
  const rootAdmins = [...(env.ADMIN_ALLOW_LIST ?? [])]
    .filter(([, role]) => role === 'admin')
    .map(([address]) => address);
  return { operators: env.OPERATORS ?? [], rootAdmins, oneApprovalUpTo: readOneApprovalUpTo(env, environment) };
}

const decisionVariables = serviceVariables.pick({ ENVIRONMENT: true, DATABASE_URL: true, ADDRESS_BOOK: true }).extend({
  ...approvalVariables,
  ...operatorVariables,
});

/** The settings of the refund commands, which need neither the relayer's key nor a node. */
export interface OperatorSettings {
  readonly databaseUrl: string;
  readonly deployment: RequestDeployment;
  readonly approvals: ApprovalPolicy;
  /** Reads the operator's own key. */
  readonly openKey: () => Promise<Hex>;
}

/**
 * Reads the settings of an operator's command.
 *
 * @throws ConfigurationError
 */
export function readOperatorSettings(variables: NodeJS.ProcessEnv): OperatorSettings {
  const env = readVariables(decisionVariables, variables);
  const book = readAddressBook(env.ADDRESS_BOOK, env.ENVIRONMENT);
  return {
    databaseUrl: readDatabaseUrl(env),
    deployment: requestDeployment(book),
    approvals: readApprovalPolicy(env, chainProfile(env.ENVIRONMENT)),
    openKey: async () => {
      const { OPERATOR_PRIVATE_KEY: key, OPERATOR_KEYSTORE: file, OPERATOR_KEYSTORE_PASSWORD_FILE: passwordFile } = env;
      if (key !== undefined && env.ENVIRONMENT !== 'local')
        throw new ConfigurationError([
          'OPERATOR_PRIVATE_KEY is allowed only in the environment local; use OPERATOR_KEYSTORE',
        ]);
      if (key !== undefined) return key;
      if (file !== undefined && passwordFile !== undefined)
        return decryptKeystore({ kind: 'keystore', file, passwordFile });
      throw new ConfigurationError([
        'OPERATOR_KEYSTORE and OPERATOR_KEYSTORE_PASSWORD_FILE are not both set; set them to your own key',
      ]);
    },
  };
}
