import { AsyncLocalStorage } from 'node:async_hooks';
import type { TracingOptions } from '@causeway/service/http';
import { startInTrace, startTracing } from '@causeway/service/tracing';
import { ROOT_CONTEXT, SpanStatusCode, trace, type Attributes } from '@opentelemetry/api';

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
   * Runs a stage. A run that wrote, failed or moved an operation gets a span. Each of its operations gets a span in the
   * operation's own trace, with a child span for each step. Other runs get none: most are idle runs by timers.
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

  /** Records an answer of an attester in the operation's trace. */
  noteAnswer(operationId: string, name: string, attributes: Attributes): void {
    const its = { ...attributes, 'causeway.operation.id': operationId };
    startInTrace(operationId, () => this.tracer.startSpan(name, { root: true, attributes: its })).end();
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
    const name = `stage ${stage}`;
    const attributes = { 'causeway.stage': stage };
    const run = this.tracer.startSpan(name, { startTime, attributes, root: true });
    const links = [{ context: run.spanContext() }];
    for (const id of new Set(steps.flatMap(({ operationIds }) => operationIds))) {
      const its = { ...attributes, 'causeway.operation.id': id };
      const options = { startTime, attributes: its, links, root: true };
      const span = startInTrace(id, () => this.tracer.startSpan(name, options));
      const inside = trace.setSpan(ROOT_CONTEXT, span);
      for (const { name: step, atMs } of steps.filter(({ operationIds }) => operationIds.includes(id)))
        this.tracer.startSpan(step, { startTime: atMs, attributes: its }, inside).end(atMs);
      span.end();
    }
    if (failure !== null) {
      run.recordException(failure);
      run.setStatus({ code: SpanStatusCode.ERROR });
    }
    run.end();
  }
}
