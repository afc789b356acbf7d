import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** The parts of an OpenAPI 3.1 document that describe answers. */
interface DescribedHeader {
  readonly required?: boolean;
}
interface DescribedResponse {
  /** By name; shared headers are references. */
  readonly headers?: Readonly<Record<string, DescribedHeader | { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, object>>;
}
interface OpenApiDocument {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, DescribedResponse>> }>>>
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly headers?: Readonly<Record<string, DescribedHeader>>;
  };
}

/** An answer of the REST API as a client received it. */
export interface ReceivedAnswer {
  readonly method: string;
  /** The request's path, or its full URL. */
  readonly url: string;
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** For a stream, the part that was read. */
  readonly body: string;
}

/** Health is also served without the base path. */
const BASE = /^(https?:\/\/[^/?#]*)?(\/api\/v1(?=\/)|(?=\/health))/;
/** Files of the reference page. The document describes only the page itself. */
const PAGE_FILES = /^\/reference\//;
/** Headers of HTTP, CORS and browser security, which the document omits. */
const UNDESCRIBED =
  /^(access-control-.*|connection|content-.*|date|keep-alive|strict-transport-security|transfer-encoding|vary|x-accel-buffering)$|^x-content-type-options$/;
/** Server-sent events. */
const STREAM = 'text/event-stream';
/** Further error codes for a path or method without an endpoint. */
const UNROUTED: Readonly<Record<number, string>> = { 404: 'NOT_FOUND', 405: 'METHOD_NOT_ALLOWED' };

/** Checks answers against the API's OpenAPI document: status, headers, content type and body. */
export class AnswerChecker {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly paths: readonly { readonly path: string; readonly pattern: RegExp }[];
  /** Failure statuses of all endpoints. */
  private readonly failures: ReadonlySet<number>;

  constructor(private readonly document: OpenApiDocument) {
    this.ajv.addSchema({ ...document, components: { schemas: closed(document.components.schemas) } }, 'openapi');
    this.paths = Object.keys(document.paths).map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }));
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const statuses = operations.flatMap(({ responses }) => Object.keys(responses).map(Number));
    this.failures = new Set(statuses.filter((status) => status >= 400));
  }

  /** @throws Error when the document does not describe this answer. */
  check(answer: ReceivedAnswer): void {
    const problem = this.findProblem(answer);
    if (problem === null) return;
    const { method, url, status, body } = answer;
    const request = `${method} ${url}`.slice(0, 300);
    throw new Error(`The document does not describe ${status} of ${request}: ${problem}\n${body.slice(0, 300)}`);
  }

  private findProblem({ method, url, status, headers, body }: ReceivedAnswer): string | null {
    const sent = BASE.test(url) ? decodePath(url) : '';
    if (PAGE_FILES.test(sent) || (method === 'OPTIONS' && status === 204)) return null;
    // The root redirects to the reference.
    if (url === '/' && status === 302) return null;
    const path = this.paths.find(({ pattern }) => pattern.test(sent))?.path;
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const responses = path === undefined ? undefined : this.document.paths[path]?.[verb]?.responses;
    if (path === undefined || responses === undefined) return this.unroutedProblem(status, headers, body, method);
    const response = responses[status];
    if (response === undefined) return 'undescribed status';
    const headerProblem = this.headerProblem(response, headers);
    if (headerProblem !== null) return headerProblem;
    if (response.content === undefined) return body === '' ? null : 'unexpected body';
    const type = String(headers['content-type']).split(';', 1)[0] ?? '';
    if (!(type in response.content)) return `undescribed content type ${type}`;
    if (method === 'HEAD') return body === '' ? null : 'unexpected body';
    if (!type.endsWith('json') && type !== STREAM) return null;
    const pointer = [path, verb, 'responses', String(status), 'content', type, 'schema'].map(asPointer).join('/');
    const bodies = type === STREAM ? Array.from(body.matchAll(/^data: (.*)$/gm), ([, data = '']) => data) : [body];
    for (const each of bodies) {
      const problem = this.schemaProblem(`openapi#/paths/${pointer}`, each);
      if (problem !== null) return problem;
    }
    return null;
  }

  private headerProblem({ headers: described = {} }: DescribedResponse, headers: ReceivedAnswer['headers']) {
    const names = new Set(Object.keys(described).map((name) => name.toLowerCase()));
    for (const [name, header] of Object.entries(described)) {
      const shared =
        '$ref' in header ? this.document.components.headers?.[header.$ref.split('/').at(-1) ?? ''] : header;
      if (shared === undefined) return `the header ${name} is not described`;
      const { required } = shared;
      if (required === true && headers[name.toLowerCase()] === undefined) return `the header ${name} is missing`;
    }
    const other = Object.keys(headers).find((name) => !names.has(name) && !UNDESCRIBED.test(name));
    return other === undefined ? null : `the header ${other} is not described`;
  }

  /** Checks an answer to a path or method without an endpoint. */
  private unroutedProblem(
    status: number,
    headers: ReceivedAnswer['headers'],
    body: string,
    method: string,
  ): string | null {
    const code = UNROUTED[status];
    if (code === undefined && !this.failures.has(status)) return 'undescribed status';
    if (status === 405 && headers['allow'] === undefined) return 'the header Allow is missing';
    if (method === 'HEAD') return body === '' ? null : 'unexpected body';
    const isCode = code === undefined || (JSON.parse(body) as { error: string }).error === code;
    return isCode ? this.schemaProblem('openapi#/components/schemas/Error', body) : 'wrong error code';
  }

  private schemaProblem(ref: string, body: string): string | null {
    const validate = this.validators.get(ref) ?? this.ajv.compile({ $ref: ref });
    this.validators.set(ref, validate);
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return 'the body is not JSON';
    }
    return validate(value) ? null : this.ajv.errorsText(validate.errors);
  }
}

/**
 * Checks every answer that `fetch` receives from the API from this call on.
 *
 * @returns a function that ends the checks and throws the first problem again, in case the test caught it.
 */
export function checkFetchedAnswers(apiUrl: string, checker: AnswerChecker): () => void {
  const { fetch } = globalThis;
  const { origin } = new URL(apiUrl);
  const problems: unknown[] = [];
  const checked: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const { url, method } = input instanceof Request ? input : { url: String(input), method: init?.method ?? 'GET' };
    if (new URL(url).origin !== origin) return response;
    const isStream = response.headers.get('content-type')?.startsWith(STREAM) === true;
    // A broken connection also fails in the caller.
    const body = isStream
      ? ''
      : await response
          .clone()
          .text()
          .catch(() => null);
    if (body === null) return response;
    try {
      const { status, headers } = response;
      checker.check({ url, method, status, headers: Object.fromEntries(headers), body });
    } catch (error) {
      problems.push(error);
      throw error;
    }
    return response;
  };
  globalThis.fetch = checked;
  return () => {
    globalThis.fetch = fetch;
    if (problems.length > 0) throw problems[0];
  };
}

/** The decoded path below /api/v1, as a router reads it. */
function decodePath(url: string): string {
  const path = url.replace(BASE, '').split(/[?#]/, 1)[0] ?? '';
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** Escapes a step of a JSON pointer in a URI fragment. */
function asPointer(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Rejects fields that the document lacks, although clients should ignore them. */
function closed<T>(schemas: T): T {
  return JSON.parse(JSON.stringify(schemas), (_key, value: unknown) => {
    const isOpen = value !== null && typeof value === 'object' && 'properties' in value;
    return isOpen ? { additionalProperties: false, ...value } : value;
  }) as T;
}
