import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { readRelease } from '../configuration/release.js';
import { finishInTime } from './monitoring/health.js';
import type { TracingOptions } from './variables.js';

/**
 * Exports spans from now on. An entry of its own, `@causeway/service/tracing`, since it loads the SDK of OpenTelemetry:
 * import it dynamically, when a collector is configured.
 *
 * @returns ends the export. It sends the spans that have ended, unless the collector does not answer.
 */
export function startTracing({ endpoint, serviceName }: TracingOptions): () => Promise<void> {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const { version } = readRelease();
  const tracerProvider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  tracerProvider.register();
  const instrumentation = new UndiciInstrumentation({
    // The reading of heads in the background belongs to no request.
    requireParentforSpans: true,
    // Providers put API keys into the paths of their nodes.
    startSpanHook: ({ origin }) => ({ 'url.full': origin, 'url.path': '/', 'url.query': '' }),
  });
  registerInstrumentations({ tracerProvider, instrumentations: [instrumentation] });
  // No exporter is left that could take the last spans.
  return async () => finishInTime(tracerProvider.shutdown()).catch(() => undefined);
}
