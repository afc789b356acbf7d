import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span in OTLP over HTTP. */
interface SpanRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly links?: readonly { readonly traceId: string }[];
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** A span and the service that sent it. */
export interface CollectedSpan extends SpanRecord {
  readonly service: string;
}

/** An OpenTelemetry collector that keeps received spans. */
export interface SpanCollector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  readonly stop: () => Promise<void>;
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, string | number>> }[];

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<SpanRecord, 'attributes'> & { readonly attributes: Attributes })[];
    }[];
  }[];
}

const toRecord = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? '']));

/** Starts a collector for OTLP over HTTP. */
export async function startSpanCollector(): Promise<SpanCollector> {
  const spans: CollectedSpan[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      for (const { resource, scopeSpans } of (body as Export).resourceSpans) {
        const service = String(toRecord(resource.attributes)['service.name']);
        for (const span of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({ ...span, service, attributes: toRecord(span.attributes) });
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
