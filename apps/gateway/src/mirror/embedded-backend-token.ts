/** The token under which NestJS provides the embedded chain's backend. */
export const EMBEDDED_BACKEND = Symbol('EmbeddedBackend');
