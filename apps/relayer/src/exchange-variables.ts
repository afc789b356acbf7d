import { readFileSync } from 'node:fs';
import { wholeNumber } from '@causeway/service/configuration';
import type { Environment } from '@causeway/protocol';
import { z } from 'zod';

const HOST_RULE = 'must be a host name or an address';
const FILE_RULE = 'must be the path of a file';

/** The contracts take at most 600; the clocks of chain and relayer may differ by the rest. */
const MOST_SECONDS = 540;

/** The variables of the exchange. */
export const exchangeVariables = {
  ATTEST_PORT: wholeNumber(0, 65_535)
    .optional()
    .describe(
      'Port to which attesters dial. Without it nothing is attested: with a threshold above 0 no delivery is made.',
    ),
  ATTEST_HOST: z.string(HOST_RULE).min(1, HOST_RULE).default('127.0.0.1').describe('Address of that port.'),
  ATTEST_VALID_SECONDS: wholeNumber(5, MOST_SECONDS)
    .default(MOST_SECONDS)
    .describe('How long an attestation holds, in seconds. Attesters with a shorter limit sign none.'),
  ATTEST_CERTIFICATE_FILE: z
    .string(FILE_RULE)
    .min(1, FILE_RULE)
    .optional()
    .describe('PEM file of the certificate of that port. Needed outside the environment `local`.'),
  ATTEST_KEY_FILE: z
    .string(FILE_RULE)
    .min(1, FILE_RULE)
    .optional()
    .describe('PEM file of the key of that certificate.'),
};

/** Where attesters dial. `tls`: PEM texts; null only in a local environment. */
export interface ExchangeSettings {
  readonly host: string;
  readonly port: number;
  readonly validSeconds: number;
  readonly tls: { readonly cert: string; readonly key: string; readonly certificateFile: string } | null;
}

/** The values of the variables, as they were read. */
interface ExchangeValues {
  readonly ATTEST_PORT?: number | undefined;
  readonly ATTEST_HOST: string;
  readonly ATTEST_VALID_SECONDS: number;
  readonly ATTEST_CERTIFICATE_FILE?: string | undefined;
  readonly ATTEST_KEY_FILE?: string | undefined;
}

/**
 * Reads where attesters dial; null for nowhere.
 *
 * @throws Error that names the variable to correct.
 */
export function readExchangeSettings(values: ExchangeValues, environment: Environment): ExchangeSettings | null {
  const { ATTEST_PORT: port, ATTEST_HOST: host, ATTEST_VALID_SECONDS: validSeconds } = values;
  const { ATTEST_CERTIFICATE_FILE: certificateFile, ATTEST_KEY_FILE: keyFile } = values;
  if (port === undefined) return null;
  if (certificateFile === undefined && keyFile === undefined && environment === 'local')
    return { host, port, validSeconds, tls: null };
  if (certificateFile === undefined) throw new Error('ATTEST_CERTIFICATE_FILE is not set: attesters dial by TLS');
  if (keyFile === undefined) throw new Error('ATTEST_KEY_FILE is not set: it has the key of ATTEST_CERTIFICATE_FILE');
  const cert = readPem('ATTEST_CERTIFICATE_FILE', certificateFile);
  return { host, port, validSeconds, tls: { cert, key: readPem('ATTEST_KEY_FILE', keyFile), certificateFile } };
}

function readPem(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    throw new Error(`${variable} cannot be read: ${message}`, { cause: error });
  }
}
