/** How a node failed to answer. */
export type FailureKind =
  /** No connection came about: the node has not seen the request. */
  | 'unreachable'
  /** The connection broke, or the HTTP status was not 200. Whether the request was carried out is unknown. */
  | 'broken'
  /** No answer in time. Whether the request was carried out is unknown. */
  | 'timeout'
  /** What came back is no JSON-RPC answer to what was asked. */
  | 'malformed'
  /** The answer, or those of a batch together, were longer than is read. */
  | 'oversized'
  /** Too many calls wait for the node already: the request was not sent. */
  | 'overloaded';

/** A node gave no answer that can be used. Its message is for logs and holds no address. */
export class NodeFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'NodeFailure';
  }

  /** Whether the node may have carried the request out all the same. */
  get mayHaveHappened(): boolean {
    return this.kind !== 'unreachable' && this.kind !== 'overloaded';
  }
}
