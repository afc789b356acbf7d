import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { Tracing, type TracingOptions } from './tracing.js';

/** Exports spans from now on. A module of its own, since it loads the SDK of OpenTelemetry, which most never need. */
export function startTracing({ endpoint, serviceName }: TracingOptions): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const tracerProvider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
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
  return new Tracing(async () => tracerProvider.shutdown());
}
