import { z } from 'zod';
import { RPC_ERRORS } from '../jsonrpc/errors.js';
import type { Method, Methods } from '../jsonrpc/method.js';
import { defineMethod } from './forward.js';

export interface ServiceInfo {
  readonly title: string;
  /** Semantic version of the interface. */
  readonly version: string;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** A document of OpenRPC 1.3 (https://spec.open-rpc.org). */
export type OpenRpcDocument = ReturnType<typeof buildOpenRpc>;

const DESCRIPTION = [
  'The partner chain’s Ethereum JSON-RPC over HTTP and WebSocket.',
  'Amounts are in wei with 18 decimals; inside the EVM the coin has 8 decimals.',
  'Params are given by position. Methods with x-transport websocket need a WebSocket connection.',
].join(' ');
const LOCAL = '#/definitions/';
const SHARED = '#/components/schemas/';

/** Builds the OpenRPC 1.3 document from the schemas that check the calls. */
export function buildOpenRpc(methods: Methods, info: ServiceInfo) {
  const schemas = new SchemaCollector();
  const errors = Object.keys(RPC_ERRORS).map((name) => ({ $ref: `#/components/errors/${name}` }));
  const described = [...methods.values()]
    .map((method) => describeMethod(method, errors, schemas))
    .toSorted((a, b) => a.name.localeCompare(b.name));
  return {
    openrpc: '1.3.2' as const,
    info: { title: info.title, version: info.version, description: DESCRIPTION },
    methods: described,
    components: { schemas: schemas.shared, errors: { ...RPC_ERRORS } },
  };
}

/** `rpc.discover`, which every OpenRPC service has. The document is built at the first request. */
export function discoverMethod(build: () => OpenRpcDocument): Method {
  let document: OpenRpcDocument | null = null;
  return defineMethod({
    name: 'rpc.discover',
    summary: 'This service’s OpenRPC document.',
    params: [],
    result: {
      name: 'document',
      schema: z.looseObject({ openrpc: z.string(), methods: z.array(z.looseObject({ name: z.string() })) }),
    },
    run: async () => (document ??= build()),
  });
}

function describeMethod(method: Method, errors: readonly { readonly $ref: string }[], schemas: SchemaCollector) {
  const { name, summary, params, result, transport, example } = method;
  return {
    name,
    summary,
    paramStructure: 'by-position' as const,
    params: params.map(({ name: paramName, description, schema, required }) => {
      const text = description ?? schema.description;
      const described = text === undefined ? {} : { description: text };
      return { name: paramName, ...described, required, schema: schemas.add(schema, 'input') };
    }),
    result: { name: result.name, required: true, schema: schemas.add(result.schema, 'output') },
    errors,
    ...(example === undefined ? {} : { examples: [toPairing(method, example)] }),
    'x-transport': transport === 'websocket' ? ['websocket'] : ['http', 'websocket'],
  };
}

function toPairing({ name, params, result }: Method, example: NonNullable<Method['example']>) {
  return {
    name,
    params: example.params.map((value, index) => ({ name: params[index]?.name ?? `params[${index}]`, value })),
    result: { name: result.name, value: example.result },
  };
}

/** Converts schemas to JSON Schema (draft 7, as OpenRPC requires) and collects those with an id as components. */
class SchemaCollector {
  private readonly byName = new Map<string, JsonSchema>();

  get shared(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.byName].toSorted(([a], [b]) => a.localeCompare(b)));
  }

  /** @throws Error if a component would have different meanings in different places. */
  add(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $schema: _draft, definitions, ...root } = z.toJSONSchema(schema, { target: 'draft-7', io });
    for (const [name, definition] of Object.entries(definitions ?? {})) {
      this.share(name, relink(definition));
    }
    return relink(root);
  }

  private share(name: string, definition: JsonSchema): void {
    const known = this.byName.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`The schema ${name} differs between params and results`);
    }
    this.byName.set(name, definition);
  }
}

/** Copies a schema, with references to the document's components. */
function relink(value: object): JsonSchema {
  return JSON.parse(JSON.stringify(value), (key, inner: unknown) => {
    if (key !== '$ref' || typeof inner !== 'string') return inner;
    return inner.startsWith(LOCAL) ? `${SHARED}${inner.slice(LOCAL.length)}` : inner;
  }) as JsonSchema;
}
