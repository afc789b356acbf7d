import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider, RandomIdGenerator } from '@opentelemetry/sdk-trace-node';
import { readRelease } from '../configuration/release.js';
import { getTraceId } from './log.js';
import { finishInTime } from './monitoring/health.js';
import type { TracingOptions } from './variables.js';

const random = new RandomIdGenerator();
/** The trace of the root span that is being started; null for a random one. */
let chosenTrace: string | null = null;

/**
 * Starts a root span in the trace of an operation. Every service derives the id of that trace from the operation's id:
 * one trace shows what all of them do, whichever comes first.
 *
 * @param start starts the span, with `root: true`.
 */
export function startInTrace<T>(operationId: string, start: () => T): T {
  chosenTrace = getTraceId(operationId);
  try {
    return start();
  } finally {
    chosenTrace = null;
  }
}

/**
 * Starts exporting spans. A separate entry, `@causeway/service/tracing`, because it loads the OpenTelemetry SDK: import
 * it dynamically when a collector is configured.
 *
 * @returns stops the export after sending the finished spans, if the collector responds.
 */
export function startTracing({ endpoint, serviceName }: TracingOptions): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const { version } = readRelease();
  const tracerProvider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    idGenerator: {
      generateTraceId: () => chosenTrace ?? random.generateTraceId(),
      generateSpanId: () => random.generateSpanId(),
    },
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  tracerProvider.register();
  const instrumentation = new UndiciInstrumentation({
    // Background polling of heads belongs to no request.
    requireParentforSpans: true,
    // Providers put API keys into URL paths.
    startSpanHook: ({ origin }) => ({ 'url.full': origin, 'url.path': '/', 'url.query': '' }),
  });
  registerInstrumentations({ tracerProvider, instrumentations: [instrumentation] });
  // No exporter remains for the last spans.
  return async () => finishInTime(tracerProvider.shutdown()).catch(() => undefined);
}
