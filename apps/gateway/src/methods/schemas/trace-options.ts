import { z } from 'zod';

/** What geth takes beside: how long a trace may take is the gateway's affair. Passed on without it. */
const fields = {
  tracer: z.literal('callTracer', 'must be "callTracer", the only tracer on offer').default('callTracer'),
  tracerConfig: z
    .object(
      {
        onlyTopCall: z.boolean('must be a boolean').optional().describe('True to leave out the calls within.'),
        withLog: z.literal(false, 'logs in call frames are not offered').optional(),
      },
      'must be an object',
    )
    .transform(({ onlyTopCall }) => ({ onlyTopCall: onlyTopCall ?? false }))
    .optional(),
};

/** Options of debug_traceTransaction. Without options, or without a tracer, callTracer is used. */
export const traceOptions = z.object(fields, 'must be { "tracer": "callTracer" }').prefault({}).meta({
  id: 'TraceOptions',
  title: 'trace options',
  description: 'The tracer, and how much of the call tree is wanted.',
});
