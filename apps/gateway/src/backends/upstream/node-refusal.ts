/** A node answered a call with a JSON-RPC error. Code, message and data are the node's own words. */
export class NodeRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data: unknown,
  ) {
    super(message);
    this.name = 'NodeRefusal';
  }
}
