import type { Method } from '../methods/method.js';

/** The methods on offer, by name. */
export type Methods = ReadonlyMap<string, Method>;

/** The token under which NestJS provides the methods on offer. */
export const METHODS = Symbol('Methods');
