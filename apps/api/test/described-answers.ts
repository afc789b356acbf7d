import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { buildDocument } from '../src/openapi/document.js';
import { ENDPOINTS } from '../src/openapi/endpoints.js';

// Holds every answer of every test against the OpenAPI document.

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const document = buildDocument({});
ajv.addSchema({ ...document, components: { schemas: closed(document.components.schemas) } }, 'openapi');
const validators = new Map<string, ValidateFunction>();

/** Answers must not have fields that the document lacks, though clients should ignore such. */
function closed<T>(schemas: T): T {
  return JSON.parse(JSON.stringify(schemas), (_key, value: unknown) => {
    const isOpen = value !== null && typeof value === 'object' && 'properties' in value;
    return isOpen ? { additionalProperties: false, ...value } : value;
  }) as T;
}

/** @throws Error when the document does not describe this answer. */
export function assertDescribed(method: string, url: string, status: number, body: unknown): void {
  const path = url.split('?')[0] ?? '';
  if (path === '/api/v1/openapi.json' || (status === 304 && body === null)) return;
  const endpoint = ENDPOINTS.find(
    (each) =>
      each.method === method.toLowerCase() &&
      new RegExp(`^(/api/v1)?${each.path.replace(/\{\w+\}/, '[^/]+')}$`).test(path),
  );
  const validate = validatorOf(endpoint === undefined ? null : { ...endpoint }, status);
  if (validate(body)) return;
  throw new Error(`The document does not describe ${status} of ${method} ${path}: ${ajv.errorsText(validate.errors)}`);
}

function validatorOf(endpoint: { readonly method: string; readonly path: string } | null, status: number) {
  const ref = endpoint === null ? 'openapi#/components/schemas/Error' : refOf(endpoint, status);
  const validate = validators.get(ref) ?? ajv.compile({ $ref: ref });
  validators.set(ref, validate);
  return validate;
}

function refOf({ method, path }: { readonly method: string; readonly path: string }, status: number): string {
  const responses = document.paths[path]?.[method]?.responses ?? {};
  const key = String(status) in responses ? status : 'default';
  return `openapi#/paths/${path.replaceAll('/', '~1').replace(/\{\w+\}/, encodeURIComponent)}/${method}/responses/${key}/content/application~1json/schema`;
}
