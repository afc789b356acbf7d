/** A JSON Schema of draft 7. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A param or a result. */
export interface ContentDescriptor {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/** A call and its result. */
export interface ExamplePairing {
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly value: unknown }[];
  readonly result: { readonly name: string; readonly value: unknown };
}

/** A method as the document describes it. */
export interface OpenRpcMethod {
  readonly name: string;
  readonly summary: string;
  readonly paramStructure: 'by-position';
  readonly params: readonly ContentDescriptor[];
  readonly result: ContentDescriptor;
  readonly errors: readonly { readonly $ref: string }[];
  readonly examples?: readonly ExamplePairing[];
  /** Where the method can be called. */
  readonly 'x-transport': readonly ('http' | 'websocket')[];
}

/** An error the gateway answers. */
export interface OpenRpcError {
  readonly code: number;
  readonly message: string;
}

/** A document of OpenRPC 1.3 (https://spec.open-rpc.org). */
export interface OpenRpcDocument {
  readonly openrpc: '1.3.2';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers?: readonly { readonly name: string; readonly url: string }[];
  readonly methods: readonly OpenRpcMethod[];
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly errors: Readonly<Record<string, OpenRpcError>>;
  };
}
