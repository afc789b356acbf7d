/**
 * Methods by name. Their params were checked by the gateway; the types a handler declares are those of the method's schemas.
 * A handler throws PartnerChainError or RpcError.
 */
export type Handlers = Readonly<Record<string, (...params: never[]) => unknown>>;
