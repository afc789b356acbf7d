import { Ajv, type ValidateFunction } from 'ajv';
import type { OpenRpcDocument } from '../../src/methods/openrpc.js';

/** The problems of a method's result according to the OpenRPC document; an empty list if it is valid. */
export type ResultChecker = (method: string, result: unknown) => readonly string[];

/**
 * Makes a checker of results by the methods' schemas in the document. Like a client, it uses only the document.
 *
 * @example const check = checkAgainstOpenRpc(document); expect(check('eth_blockNumber', await
 *   backend.request('eth_blockNumber', []))).toEqual([]);
 */
export function checkAgainstOpenRpc(document: OpenRpcDocument): ResultChecker {
  const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, allowUnionTypes: true });
  ajv.addKeyword('components');
  ajv.addSchema({ $id: 'openrpc.json', components: document.components });
  const validators = new Map<string, ValidateFunction>();
  return (name, result) => {
    const method = document.methods.find((each) => each.name === name);
    if (method === undefined) return [`the document has no method ${name}`];
    const validate = validators.get(name) ?? ajv.compile(absolute(method.result.schema));
    validators.set(name, validate);
    return validate(result)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

/** Makes references to the document's components absolute. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openrpc.json#/components/')) as object;
}
