import { AsyncLocalStorage } from 'node:async_hooks';
import type { TracingOptions } from '@causeway/service/http';
import { startTracing } from '@causeway/service/tracing';
import { SpanStatusCode, trace } from '@opentelemetry/api';

/** A step of operations, named by its log line. */
interface Step {
  readonly name: string;
  readonly operationIds: readonly string[];
  readonly atMs: number;
}

/** The traces of the relayer. Loaded only when a collector is configured. */
export class StageTracing {
  private readonly tracer = trace.getTracer('causeway-relayer');
  private readonly runs = new AsyncLocalStorage<Step[]>();
  private readonly flush: () => Promise<void>;

  constructor(options: TracingOptions) {
    this.flush = startTracing(options);
  }

  /**
   * Runs a stage. A run that wrote, failed or moved an operation gets a span, with a child span for each step of each
   * operation. Other runs get none: most are idle runs by timers.
   */
  async traceRun(stage: string, run: () => Promise<boolean>): Promise<boolean> {
    const startTime = Date.now();
    const steps: Step[] = [];
    let failure: Error | null = null;
    let hasWritten = false;
    try {
      hasWritten = await this.runs.run(steps, run);
      return hasWritten;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      if (hasWritten || failure !== null || steps.length > 0) this.endRun({ stage, startTime, steps, failure });
    }
  }

  /** Records a log line that names operations as a step of the current run. */
  noteLine(fields: unknown, message: unknown): void {
    const steps = this.runs.getStore();
    if (steps === undefined || typeof fields !== 'object' || fields === null) return;
    const { operationId, operationIds = [operationId] } = fields as Readonly<Record<string, unknown>>;
    if (!Array.isArray(operationIds)) return;
    const named = operationIds.filter((id) => typeof id === 'string');
    if (named.length > 0) steps.push({ name: String(message), operationIds: named, atMs: Date.now() });
  }

  async end(): Promise<void> {
    await this.flush();
  }

  private endRun(ended: {
    readonly stage: string;
    readonly startTime: number;
    readonly steps: readonly Step[];
    readonly failure: Error | null;
  }): void {
    const { stage, startTime, steps, failure } = ended;
    const attributes = { 'causeway.stage': stage };
    this.tracer.startActiveSpan(`stage ${stage}`, { startTime, attributes, root: true }, (span) => {
      for (const { name, operationIds, atMs } of steps)
        for (const id of operationIds)
          this.tracer
            .startSpan(name, { startTime: atMs, attributes: { ...attributes, 'causeway.operation.id': id } })
            .end(atMs);
      if (failure !== null) {
        span.recordException(failure);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    });
  }
}
