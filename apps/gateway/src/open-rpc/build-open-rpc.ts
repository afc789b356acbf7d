import { RPC_ERRORS } from '../jsonrpc/errors.js';
import type { Method } from '../methods/method.js';
import { describeMethod } from './describe-method.js';
import type { OpenRpcDocument } from './open-rpc-document.js';
import { SchemaCollector } from './schema-collector.js';
import type { ServiceInfo } from './service-info.js';

const DESCRIPTION = [
  'The partner chain’s Ethereum JSON-RPC over HTTP and WebSocket.',
  'Amounts are in wei of 18 decimals; inside the EVM the coin has 8.',
  'Params are given by position. Methods with x-transport websocket need a WebSocket connection.',
].join(' ');

/** Describes the methods on offer by the schemas they are checked with (OpenRPC 1.3). */
export function buildOpenRpc(methods: ReadonlyMap<string, Method>, info: ServiceInfo): OpenRpcDocument {
  const schemas = new SchemaCollector();
  const errors = Object.keys(RPC_ERRORS).map((name) => ({ $ref: `#/components/errors/${name}` }));
  const described = [...methods.values()]
    .map((method) => describeMethod(method, errors, schemas))
    .toSorted((a, b) => a.name.localeCompare(b.name));
  const servers = (info.urls ?? []).map((url) => ({ name: info.title, url }));
  return {
    openrpc: '1.3.2',
    info: { title: info.title, version: info.version, description: DESCRIPTION },
    ...(servers.length === 0 ? {} : { servers }),
    methods: described,
    components: { schemas: schemas.shared, errors: { ...RPC_ERRORS } },
  };
}
