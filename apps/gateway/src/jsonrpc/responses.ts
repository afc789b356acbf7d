import { RpcError } from './errors.js';

/**
 * The text of a response with a result (JSON-RPC 2.0, section 5).
 *
 * @param id JSON text, exactly as the caller wrote it.
 * @throws TypeError or RangeError if the result cannot be written as JSON.
 */
export function resultResponse(id: string, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result) ?? 'null'}}`;
}

/** The text of a response with an error. @param id JSON text, exactly as the caller wrote it. */
export function errorResponse(id: string, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error.toBody())}}`;
}

/** The responses to the entries of one message, each at its index. Their total length is bounded. */
export class MessageResponses {
  private readonly texts: (string | null | undefined)[] = [];
  private readonly completion = Promise.withResolvers<readonly string[]>();
  private length = 0;

  /**
   * @param missing the number of entries of the message.
   * @param maxLength most characters of all responses together; a response beyond it is replaced by -32005.
   */
  constructor(
    private missing: number,
    private readonly maxLength: number,
  ) {}

  /** Resolves with the texts to send, in the order of the entries, when every entry has its response. */
  get complete(): Promise<readonly string[]> {
    return this.completion.promise;
  }

  has(index: number): boolean {
    return this.texts[index] !== undefined;
  }

  /**
   * Sets the response of an entry; to be called once for each.
   *
   * @param id JSON text; null for a notification, whose response is not sent.
   */
  set(index: number, id: string | null, text: string): void {
    this.texts[index] = id === null ? null : this.bounded(id, text);
    this.missing -= 1;
    if (this.missing === 0) this.completion.resolve(this.texts.filter((one) => typeof one === 'string'));
  }

  private bounded(id: string, text: string): string {
    if (this.length + text.length > this.maxLength) {
      const problem = 'the responses of this batch are too long; send fewer calls in one batch';
      return errorResponse(id, new RpcError('RATE_LIMIT_EXCEEDED', problem));
    }
    this.length += text.length;
    return text;
  }
}
