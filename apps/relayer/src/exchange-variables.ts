import { readFileSync } from 'node:fs';
import { wholeNumber } from '@causeway/service/configuration';
import type { Environment } from '@causeway/protocol';
import { z } from 'zod';

const HOST_RULE = 'must be a host name or an address';
const FILE_RULE = 'must be the path of a file';

/** The contracts accept at most 600; the difference allows for clock skew between chain and relayer. */
const MOST_SECONDS = 540;

/** The variables of the exchange with attesters. */
export const exchangeVariables = {
  ATTEST_PORT: wholeNumber(0, 65_535)
    .optional()
    .describe(
      'Port that attesters connect to. If unset, there are no attestations, and a threshold above 0 blocks all deliveries.',
    ),
  ATTEST_HOST: z
    .string(HOST_RULE)
    .min(1, HOST_RULE)
    .default('127.0.0.1')
    .describe('Address on which ATTEST_PORT listens.'),
  ATTEST_VALID_SECONDS: wholeNumber(5, MOST_SECONDS)
    .default(MOST_SECONDS)
    .describe('How long an attestation is valid, in seconds. An attester with a shorter limit refuses to sign.'),
  ATTEST_CERTIFICATE_FILE: z
    .string(FILE_RULE)
    .min(1, FILE_RULE)
    .optional()
    .describe('PEM file of the certificate of ATTEST_PORT. Required outside the environment `local`.'),
  ATTEST_KEY_FILE: z
    .string(FILE_RULE)
    .min(1, FILE_RULE)
    .optional()
    .describe('PEM file of the private key of ATTEST_CERTIFICATE_FILE.'),
};

/** Where attesters connect. `tls`: PEM texts; null only in a local environment. */
export interface ExchangeSettings {
  readonly host: string;
  readonly port: number;
  readonly validSeconds: number;
  readonly tls: { readonly cert: string; readonly key: string; readonly certificateFile: string } | null;
}

interface ExchangeValues {
  readonly ATTEST_PORT?: number | undefined;
  readonly ATTEST_HOST: string;
  readonly ATTEST_VALID_SECONDS: number;
  readonly ATTEST_CERTIFICATE_FILE?: string | undefined;
  readonly ATTEST_KEY_FILE?: string | undefined;
}

/**
 * Reads where attesters connect. Null without ATTEST_PORT.
 *
 * @throws Error that names the variable to correct.
 */
export function readExchangeSettings(values: ExchangeValues, environment: Environment): ExchangeSettings | null {
  const { ATTEST_PORT: port, ATTEST_HOST: host, ATTEST_VALID_SECONDS: validSeconds } = values;
  const { ATTEST_CERTIFICATE_FILE: certificateFile, ATTEST_KEY_FILE: keyFile } = values;
  if (port === undefined) return null;
  if (certificateFile === undefined && keyFile === undefined && environment === 'local')
    return { host, port, validSeconds, tls: null };
  if (certificateFile === undefined) throw new Error('ATTEST_CERTIFICATE_FILE is not set: attesters connect over TLS');
  if (keyFile === undefined)
    throw new Error('ATTEST_KEY_FILE is not set: it must hold the private key of ATTEST_CERTIFICATE_FILE');
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
