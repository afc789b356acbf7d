/** Whether it looks like what the callTracer gives: nodes without it answer with another tracer's result, anvil also for a transaction it does not know. */
export function isCallFrame(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'type' in result && 'from' in result && 'gasUsed' in result;
}
