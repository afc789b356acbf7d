/** The token under which NestJS provides the backend. */
export const BACKEND = Symbol('Backend');
