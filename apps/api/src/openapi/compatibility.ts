/** The parts of an OpenAPI schema that clients depend on. */
interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly deprecated?: boolean;
  readonly 'x-sunset'?: string;
  readonly [bound: string]: unknown;
}
interface Parameter extends Pick<Schema, 'deprecated' | 'x-sunset'> {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Body {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}
interface Operation extends Pick<Schema, 'deprecated' | 'x-sunset'> {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body & { readonly headers?: object }>>;
  readonly 'x-event-names'?: readonly string[];
}
/** The parts of an OpenAPI document that clients depend on. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Response fields to which a minor release can add values. Clients must handle unknown values. */
export const GROWING_FIELDS: ReadonlySet<string> = new Set([
  'asset',
  'code',
  'delayedReason',
  'error',
  'failureReason',
  'stalledReason',
  'standard',
  'token',
  'undeliverableReason',
  'unpayableReason',
]);

/** Request bounds that must not fall (upper) or rise (lower). */
const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'] as const;
const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'] as const;

/** Keys that hold prose. */
const WORDS: ReadonlySet<string> = new Set(['description', 'summary', 'title']);

type Direction = 'request' | 'answer';

/**
 * Compares the API with the last release by the rules of docs/integrate/compatibility.md: endpoints, optional
 * parameters and response fields can be added, and a deprecated part can be removed after its sunset.
 *
 * @returns a sentence for each breaking change; empty when clients of the last release keep working.
 */
export function findBreakingChanges(released: ApiDocument, present: ApiDocument, now: Date): readonly string[] {
  return new Comparison(released, present, now).compareAll();
}

class Comparison {
  private readonly problems: string[] = [];
  /** Already compared pairs of shared schemas, with direction. */
  private readonly compared = new Set<string>();

  constructor(
    private readonly released: ApiDocument,
    private readonly present: ApiDocument,
    private readonly now: Date,
  ) {}

  compareAll(): readonly string[] {
    for (const [path, methods] of Object.entries(this.released.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const where = `${method.toUpperCase()} ${path}`;
        const present = this.present.paths[path]?.[method];
        if (present !== undefined) this.compareOperation(where, operation, present);
        else if (!this.isOver(operation)) this.report(where, 'the endpoint is missing');
      }
    }
    return this.problems;
  }

  private compareOperation(where: string, old: Operation, present: Operation): void {
    if (old.operationId !== present.operationId)
      this.report(where, `the operationId was ${show(old.operationId)} and is ${show(present.operationId)}`);
    for (const parameter of old.parameters ?? []) {
      const same = present.parameters?.find((each) => each.name === parameter.name && each.in === parameter.in);
      const at = `${where}, ${parameter.in} parameter ${parameter.name}`;
      if (same !== undefined) this.compareSchema(at, parameter.schema, same.schema, 'request');
      else if (!this.isOver(parameter)) this.report(at, 'it is missing');
    }
    for (const { name, in: place } of present.parameters?.filter(({ required }) => required === true) ?? []) {
      const before = old.parameters?.find((each) => each.name === name && each.in === place);
      if (before?.required !== true) this.report(`${where}, ${place} parameter ${name}`, 'it has become required');
    }
    if (old.requestBody === undefined && present.requestBody !== undefined)
      this.report(where, 'it now requires a body');
    this.compareContent(`${where}, body`, old.requestBody, present.requestBody, 'request');
    for (const [status, response] of Object.entries(old.responses)) {
      const same = present.responses[status];
      const at = `${where}, answer ${status}`;
      // Removing a failure breaks no client.
      if (same === undefined) {
        if (status < '400') this.report(at, 'it is missing');
        continue;
      }
      this.compareContent(at, response, same, 'answer');
      for (const header of Object.keys(response.headers ?? {}))
        if (!(header in (same.headers ?? {}))) this.report(`${at}, header ${header}`, 'it is missing');
    }
    for (const name of old['x-event-names'] ?? [])
      if (present['x-event-names']?.includes(name) !== true) this.report(`${where}, event ${name}`, 'it is missing');
  }

  private compareContent(where: string, old: Body | undefined, present: Body | undefined, direction: Direction): void {
    for (const [type, { schema }] of Object.entries(old?.content ?? {})) {
      const same = present?.content?.[type]?.schema;
      if (same === undefined) this.report(where, `the content type ${type} is missing`);
      else if (schema !== undefined) this.compareSchema(where, schema, same, direction);
    }
  }

  private compareSchema(where: string, oldSchema: Schema, presentSchema: Schema, direction: Direction): void {
    if (oldSchema.$ref !== undefined && presentSchema.$ref !== undefined) {
      const pair = `${direction} ${oldSchema.$ref} ${presentSchema.$ref}`;
      if (this.compared.has(pair)) return;
      this.compared.add(pair);
    }
    const [old, present] = [resolve(oldSchema, this.released), resolve(presentSchema, this.present)];
    if (old.anyOf ?? old.oneOf ?? present.anyOf ?? present.oneOf) {
      this.compareAlternatives(where, old, present, direction);
      return;
    }
    for (const [index, part] of old.allOf?.entries() ?? [])
      this.compareSchema(where, part, present.allOf?.[index] ?? {}, direction);
    for (const name of ['type', 'format', 'pattern'] as const)
      if (JSON.stringify(old[name]) !== JSON.stringify(present[name]))
        this.report(where, `the ${name} was ${show(old[name])} and is ${show(present[name])}`);
    this.compareValues(where, old, present, direction);
    if (direction === 'request') this.compareBounds(where, old, present);
    this.compareFields(where, old, present, direction);
    if (old.items !== undefined) this.compareSchema(`${where}[]`, old.items, present.items ?? {}, direction);
    if (typeof old.additionalProperties === 'object')
      this.compareSchema(`${where}.*`, old.additionalProperties, toSchema(present.additionalProperties), direction);
  }

  /** Requires that each form of an answer was possible before, and that each form of a request is still accepted. */
  private compareAlternatives(where: string, old: Schema, present: Schema, direction: Direction): void {
    const list = (schema: Schema): readonly Schema[] => schema.anyOf ?? schema.oneOf ?? [schema];
    const [given, wanted] = direction === 'answer' ? [list(present), list(old)] : [list(old), list(present)];
    for (const each of given) {
      const attempts = wanted.map((other) => {
        const attempt = new Comparison(this.released, this.present, this.now);
        const [before, after] = direction === 'answer' ? [other, each] : [each, other];
        attempt.compareSchema(where, before, after, direction);
        return attempt.problems;
      });
      // The most similar form has the fewest problems, which show the change.
      const [closest = []] = attempts.toSorted((a, b) => a.length - b.length);
      this.problems.push(...closest);
    }
  }

  private compareValues(where: string, old: Schema, present: Schema, direction: Direction): void {
    const [before, after] = [listValues(old), listValues(present)];
    if (direction === 'request' && after !== null)
      for (const value of before ?? ['any value'])
        if (!after.includes(value)) this.report(where, `${show(value)} is no longer accepted`);
    if (direction === 'answer' && before !== null && !GROWING_FIELDS.has(where.split('.').at(-1) ?? ''))
      for (const value of after ?? ['any value'])
        if (!before.includes(value)) this.report(where, `${show(value)} is a new value of a field that cannot grow`);
  }

  private compareBounds(where: string, old: Schema, present: Schema): void {
    const differs = (name: string, isTighter: (before: number, after: number) => boolean): boolean => {
      const [before, after] = [old[name], present[name]];
      return typeof after === 'number' && (typeof before !== 'number' || isTighter(before, after));
    };
    for (const name of [
      ...UPPER_BOUNDS.filter((each) => differs(each, (before, after) => after < before)),
      ...LOWER_BOUNDS.filter((each) => differs(each, (before, after) => after > before)),
    ])
      this.report(where, `${name} was ${show(old[name])} and is ${show(present[name])}`);
  }

  private compareFields(where: string, old: Schema, present: Schema, direction: Direction): void {
    for (const [name, field] of Object.entries(old.properties ?? {})) {
      const same = present.properties?.[name];
      const at = `${where}.${name}`;
      if (same !== undefined) this.compareSchema(at, field, same, direction);
      else if (!this.isOver(field)) this.report(at, 'the field is missing');
      if (direction === 'answer' && same !== undefined && isRequired(old, name) && !isRequired(present, name))
        this.report(at, 'the field was always present and can now be absent');
    }
    if (direction === 'request')
      for (const name of present.required ?? [])
        if (!isRequired(old, name)) this.report(`${where}.${name}`, 'the field has become required');
  }

  /** Whether the part was deprecated in the last release and its sunset has passed. */
  private isOver({ deprecated, 'x-sunset': sunset }: Pick<Schema, 'deprecated' | 'x-sunset'>): boolean {
    return deprecated === true && sunset !== undefined && new Date(sunset) <= this.now;
  }

  private report(where: string, problem: string): void {
    this.problems.push(`${where}: ${problem}`);
  }
}

const show = (value: unknown): string => (value === undefined ? 'not given' : JSON.stringify(value));
const isRequired = ({ required = [] }: Schema, name: string): boolean => required.includes(name);
const toSchema = (value: boolean | Schema | undefined): Schema => (typeof value === 'object' ? value : {});

function listValues(schema: Schema): readonly unknown[] | null {
  return schema.enum ?? (schema.const === undefined ? null : [schema.const]);
}

function resolve(schema: Schema, { components }: ApiDocument): Schema {
  if (schema.$ref === undefined) return schema;
  return components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {};
}

/** Removes prose, which clients do not depend on; a release records the result. */
export function withoutWords(document: object): unknown {
  return JSON.parse(JSON.stringify(document), (name, value: unknown) =>
    typeof value === 'string' && WORDS.has(name) ? undefined : value,
  );
}
