#!/usr/bin/env node
import { InterruptedError } from './errors.js';
import { runProgram } from './program.js';

const controller = new AbortController();
// A second signal ends the program by its default action.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => controller.abort(new InterruptedError()));
// A closed pipe, such as after `head`, is not a failure and must not interrupt a transfer.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  streams: { input: process.stdin, output: process.stdout, errors: process.stderr },
  signal: controller.signal,
});
