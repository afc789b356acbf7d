import type { Method } from '../methods/method.js';
import type { ContentDescriptor, ExamplePairing, OpenRpcMethod } from './open-rpc-document.js';
import type { SchemaCollector } from './schema-collector.js';

/** A method as the document describes it. */
export function describeMethod(
  method: Method,
  errors: OpenRpcMethod['errors'],
  schemas: SchemaCollector,
): OpenRpcMethod {
  const { name, summary, params, result, transport, example } = method;
  return {
    name,
    summary,
    paramStructure: 'by-position',
    params: params.map(({ name: paramName, description, schema, required }): ContentDescriptor => {
      const words = description ?? schema.description;
      const describing = words === undefined ? {} : { description: words };
      return { name: paramName, ...describing, required, schema: schemas.add(schema, 'input') };
    }),
    result: { name: result.name, required: true, schema: schemas.add(result.schema, 'output') },
    errors,
    ...(example === undefined ? {} : { examples: [pairing(method, example)] }),
    'x-transport': transport === 'websocket' ? ['websocket'] : ['http', 'websocket'],
  };
}

function pairing({ name, params, result }: Method, example: NonNullable<Method['example']>): ExamplePairing {
  return {
    name,
    params: example.params.map((value, index) => ({ name: params[index]?.name ?? `params[${index}]`, value })),
    result: { name: result.name, value: example.result },
  };
}
