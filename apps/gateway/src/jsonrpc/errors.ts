/** The error table: every code that the gateway returns, with the specification's message (spec "Errors"). */
export const RPC_ERRORS = {
  PARSE_ERROR: { code: -32700, message: 'Parse error' },
  INVALID_REQUEST: { code: -32600, message: 'Invalid request' },
  METHOD_NOT_FOUND: { code: -32601, message: 'Method not found' },
  INVALID_PARAMS: { code: -32602, message: 'Invalid params' },
  INTERNAL_ERROR: { code: -32603, message: 'Internal error' },
  EXECUTION_REVERTED: { code: -32000, message: 'Execution reverted' },
  // As in geth: on this code viem creates a new filter, and programs compare the message.
  FILTER_NOT_FOUND: { code: -32000, message: 'filter not found' },
  RESOURCE_NOT_FOUND: { code: -32001, message: 'Resource not found' },
  RESOURCE_UNAVAILABLE: { code: -32002, message: 'Resource unavailable' },
  TRANSACTION_REJECTED: { code: -32003, message: 'Transaction rejected' },
  METHOD_NOT_SUPPORTED: { code: -32004, message: 'Method not supported' },
  RATE_LIMIT_EXCEEDED: { code: -32005, message: 'Rate limit exceeded' },
} as const satisfies Record<string, { code: number; message: string }>;

export type RpcErrorName = keyof typeof RPC_ERRORS;

/** An error on the wire (JSON-RPC 2.0, section 5.1). */
interface RpcErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The only error that a caller sees: the table's message, then the problem. `data` carries revert bytes (0x…). */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(
    readonly kind: RpcErrorName,
    readonly detail?: string,
    options: { readonly data?: unknown; readonly cause?: unknown } = {},
  ) {
    const { code, message } = RPC_ERRORS[kind];
    super(formatMessage(kind, message, detail, options.data), { cause: options.cause });
    this.name = 'RpcError';
    this.code = code;
    this.data = options.data;
  }

  toBody(): RpcErrorBody {
    return { code: this.code, message: this.message, ...(this.data === undefined ? {} : { data: this.data }) };
  }
}

/** viem recognizes a contract's revert only if the message is exactly geth's, so revert bytes have no detail. */
const REVERTED_WITH_DATA = 'execution reverted';

function formatMessage(kind: RpcErrorName, message: string, detail: string | undefined, data: unknown): string {
  if (kind === 'EXECUTION_REVERTED' && typeof data === 'string') return REVERTED_WITH_DATA;
  return detail === undefined ? message : `${message}: ${detail}`;
}

/** Returns the text of an error response. @param id JSON text, exactly as the caller wrote it. */
export function errorResponse(id: string, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error.toBody())}}`;
}
