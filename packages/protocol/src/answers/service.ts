import type { ErrorCode } from '../errors.js';

/** The body of a failing request. */
export interface ErrorResponse {
  /** Decides the next step of a client. */
  readonly error: ErrorCode;
  /** A sentence for people; of a VALIDATION_ERROR it begins with the field. */
  readonly message: string;
}

/** A part that the health looks at. */
export interface HealthComponent {
  /** Whether it works. */
  readonly connected: boolean;
  /** How long it took to answer, in milliseconds. */
  readonly latencyMs: number | null;
  /** Of a chain: how many nodes there are, can be used now, and must agree. */
  readonly nodes?: { readonly configured: number; readonly usable: number; readonly required: number } | undefined;
  /** Of a component that answers and does not work: a sentence. */
  readonly problem?: string | undefined;
}

/** The body of `GET /health`: 200 when healthy, otherwise 503 with the same shape. */
export interface HealthResponse {
  /** Of the whole. */
  readonly status: 'healthy' | 'unhealthy';
  /** Everything that was looked at, by its name. */
  readonly components: Readonly<Record<string, HealthComponent>>;
  /** Chains on which nothing moves until an operator lifts the halt. Absent without any. */
  readonly halts?: readonly { readonly chainId: number; readonly since: string }[] | undefined;
}
