import { z } from 'zod';
import type { JsonSchema } from './open-rpc-document.js';

const LOCAL = '#/definitions/';
const SHARED = '#/components/schemas/';

/** Turns schemas into JSON Schema (draft 7, as OpenRPC has it) and collects those with an id as components of the document. */
export class SchemaCollector {
  readonly #shared = new Map<string, JsonSchema>();

  /** The components so far, by name. */
  get shared(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#shared].toSorted(([a], [b]) => a.localeCompare(b)));
  }

  /**
   * @param io whether values are what callers write (`input`) or what they get (`output`).
   * @throws Error if a component would mean different things in different places.
   */
  add(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $schema: _draft, definitions, ...root } = z.toJSONSchema(schema, { target: 'draft-7', io });
    for (const [name, definition] of Object.entries(definitions ?? {})) {
      this.#share(name, relinked(definition));
    }
    return relinked(root);
  }

  #share(name: string, definition: JsonSchema): void {
    const known = this.#shared.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`The schema ${name} differs between params and results`);
    }
    this.#shared.set(name, definition);
  }
}

/** A copy whose references lead to the document's components. */
function relinked(value: object): JsonSchema {
  return JSON.parse(JSON.stringify(value), (key, inner: unknown) => {
    if (key !== '$ref' || typeof inner !== 'string') return inner;
    return inner.startsWith(LOCAL) ? `${SHARED}${inner.slice(LOCAL.length)}` : inner;
  }) as JsonSchema;
}
