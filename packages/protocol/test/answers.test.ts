import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import type * as core from '../src/index.js';
import type * as rest from '../src/rest/index.js';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Every field read-only, as the interfaces of the core declare them. */
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;
/** The answers that a schema lets through. */
type Answer<S extends z.ZodType> = Frozen<z.output<S>>;

/** Compiles only when the types are equal: `pnpm typecheck` is the test. */
function same<A, B>(equal: Equal<Frozen<A>, B>): void {
  expect(equal).toBe(true);
}
/** Whether a schema takes every request of a type. */
type Takes<S extends z.ZodType, Request> = Request extends z.input<S> ? true : false;

describe('the interfaces of the core', () => {
  it('are the answers that the schemas let through, no more and no less', () => {
    same<core.BindOriginResponse, Answer<typeof rest.bindOriginResponseSchema>>(true);
    same<core.BridgeOperationResponse, Answer<typeof rest.bridgeOperationResponseSchema>>(true);
    same<core.ConfigResponse, Answer<typeof rest.configResponseSchema>>(true);
    same<core.ErrorResponse, Answer<typeof rest.errorResponseSchema>>(true);
    same<core.ExplainResponse, Answer<typeof rest.explainResponseSchema>>(true);
    same<core.FeeQuoteResponse, Answer<typeof rest.feeQuoteResponseSchema>>(true);
    same<core.HealthResponse, Answer<typeof rest.healthResponseSchema>>(true);
    same<core.HistoryResponse, Answer<typeof rest.historyResponseSchema>>(true);
    same<core.IntentResponse, Answer<typeof rest.intentResponseSchema>>(true);
    same<core.LimitsResponse, Answer<typeof rest.limitsResponseSchema>>(true);
    same<core.OperationsResponse, Answer<typeof rest.operationsResponseSchema>>(true);
    same<core.RefundResponse, Answer<typeof rest.refundResponseSchema>>(true);
    same<core.StateResponse, Answer<typeof rest.stateResponseSchema>>(true);
    same<core.TransactionsResponse, Answer<typeof rest.transactionsResponseSchema>>(true);
    same<core.Warning, Answer<typeof rest.warningSchema>>(true);
    same<core.AddressBook, Answer<typeof rest.addressBookSchema>>(true);
  });

  it('are requests that the schemas take', () => {
    same<true, Takes<typeof rest.bindOriginBodySchema, core.BindOriginBody>>(true);
    same<true, Takes<typeof rest.intentBodySchema, core.IntentBody>>(true);
    same<true, Takes<typeof rest.transactionsBodySchema, core.TransactionsBody>>(true);
  });
});
