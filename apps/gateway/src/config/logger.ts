/**
 * The token under which NestJS provides the gateway's own pino logger.
 *
 * The logger of nestjs-pino is one for the whole process, whatever gateway asked for it first; this one is the gateway's.
 */
export const LOGGER = Symbol('Logger');
