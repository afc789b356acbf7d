/** The entry module of the call threads, next to this module, also in a bundle. Tests use the compiled one. */
export const CALL_MODULE = new URL('./call-worker.js', import.meta.url);
