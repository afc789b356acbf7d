/** The first module of the threads that run calls, beside this one, also in a bundle. Tests take the compiled one. */
export const CALL_MODULE = new URL('./call-worker.js', import.meta.url);
