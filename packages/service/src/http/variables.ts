import {
  hasEscapedCredentials,
  isOrigin,
  list,
  listenHost,
  listenPort,
  optionalList,
  wholeNumber,
} from '../configuration/index.js';
import { z } from 'zod';
import { isNetwork } from './client-ip.js';

const EXEMPT_RULE = 'must be IP addresses or networks such as 192.0.2.0/24, separated by commas';
const ORIGINS_RULE = 'must be * or origins such as https://app.example, separated by commas';
const REDIS_RULE = 'must be a redis:// or rediss:// address, with its password percent-encoded';

export const trustedProxyHops = wholeNumber(0, 16)
  .default(0)
  .describe('Number of your own proxies in front of the server, whose X-Forwarded-For entries are trusted.');

/** The variables of a public HTTP server. */
export const publicServerVariables = {
  TRUSTED_PROXY_HOPS: trustedProxyHops,
  RATE_LIMIT_EXEMPT_IPS: optionalList(EXEMPT_RULE, isNetwork).describe('Addresses and networks exempt from rates.'),
  REDIS_URL: z
    .string(REDIS_RULE)
    .regex(/^rediss?:\/\//, REDIS_RULE)
    .refine(hasEscapedCredentials, REDIS_RULE)
    .optional()
    .meta({
      description: 'Redis in which several processes share rate counts; without it each process counts alone.',
      isSecret: true,
    }),
  CORS_ORIGINS: list(ORIGINS_RULE, (origin) => origin === '*' || isOrigin(origin))
    .prefault('*')
    .describe('Web origins whose pages can call; * for all.'),
};

/** Collector and service name of traces. */
export interface TracingOptions {
  /** URL of a collector that accepts OTLP over HTTP. */
  readonly endpoint: string;
  readonly serviceName: string;
}

/** The variables of traces. */
export const tracingVariables = (service: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .optional()
    .describe('URL of an OpenTelemetry collector (OTLP over HTTP) for traces; without it there are none.'),
  OTEL_SERVICE_NAME: z.string('must be a name').default(service).describe('Name of this service in traces.'),
});

/** Returns the tracing options; null without a collector. */
export function readTracing({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_SERVICE_NAME: serviceName,
}: z.output<z.ZodObject<ReturnType<typeof tracingVariables>>>): TracingOptions | null {
  return endpoint === undefined ? null : { endpoint, serviceName };
}

/** The variables of the monitoring listener. */
export const metricsVariables = {
  METRICS_HOST: listenHost.describe('Address on which /metrics, /health/live and /health/ready are served.'),
  METRICS_PORT: listenPort
    .optional()
    .describe('Port that serves only /metrics, /health/live and /health/ready; without it there are no metrics.'),
};

/** Returns the listen address of `/metrics`; null without a port. */
export function metricsAddress({
  METRICS_HOST: host,
  METRICS_PORT: port,
}: z.output<z.ZodObject<typeof metricsVariables>>) {
  return port === undefined ? null : { host, port };
}
