#!/usr/bin/env node
import { runVerify } from './program.js';

const controller = new AbortController();
// A second signal ends the program by its default action.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
// A closed pipe, such as after `head`, is not a failure.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const code = await runVerify(process.argv.slice(2), {
  env: process.env,
  streams: { output: process.stdout, errors: process.stderr },
  signal: controller.signal,
});
// Requests that an interruption left open would keep the process alive.
if (code === 130) process.exit(code);
process.exitCode = code;
