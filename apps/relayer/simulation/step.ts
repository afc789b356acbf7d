/**
 * Runs `work` as one step of a process: later, in an order that the seed decides. A crash before the step leaves it
 * undone; a crash after it loses the answer.
 *
 * @param label the step's name in the story of a schedule.
 */
export type Step = <T>(label: string, work: () => T | Promise<T>) => Promise<T>;
