import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONTROL_TEST } from './project.mjs';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
/** Tests that kill most mutants quickly come first, campaigns last. */
const ORDER = ['test/unit/', 'test/governance/', 'test/attacks/'];
/** Timeout as a multiple of the time without a mutant: a busy machine must not kill mutants. */
const PATIENCE = 10;
const MIN_TIMEOUT_MS = 180_000;

/** The test files in the order in which they run; later ones only if a mutant survives the earlier ones. */
function splitIntoPhases(project, tests) {
  const isCampaign = (name) => readFileSync(join(project, name), 'utf8').includes('function invariant_');
  const phases = new Map([...ORDER, 'other', 'campaigns'].map((phase) => [phase, []]));
  for (const name of tests) {
    const folder = ORDER.find((one) => name.startsWith(one)) ?? 'other';
    phases.get(isCampaign(name) ? 'campaigns' : folder).push(name);
  }
  return [...phases].filter(([, files]) => files.length > 0);
}

/** A process that runs the tests of a project with one mutant at a time. */
class TestProcess {
  constructor(project) {
    this.project = project;
  }

  /** Starts the process if there is none. */
  async start() {
    if (this.child !== undefined) return;
    this.child = fork(WORKER, { cwd: this.project, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.stderr = '';
    this.child.stderr.on('data', (text) => (this.stderr += text));
    await this.answer(Infinity);
  }

  /** @returns the tests that fail, or only 'timeout'. */
  async run(number, testFiles, timeoutMs) {
    await this.start();
    this.child.send({ number, testFiles });
    const answer = await this.answer(timeoutMs);
    if (answer !== undefined) return answer.failures;
    this.stop();
    return ['timeout'];
  }

  stop() {
    this.child?.kill('SIGKILL');
    this.child = undefined;
  }

  /** The next message of the process; undefined when it takes too long. */
  answer(timeoutMs) {
    const { child } = this;
    return new Promise((resolve, reject) => {
      const timer = timeoutMs === Infinity ? undefined : setTimeout(() => done(resolve), timeoutMs);
      const onMessage = (message) => done(resolve, message);
      const onExit = (code) => done(reject, new Error(`The test process ended with ${code}:\n${this.stderr}`));
      const done = (settle, value) => {
        clearTimeout(timer);
        child.off('message', onMessage);
        child.off('exit', onExit);
        settle(value);
      };
      child.on('message', onMessage);
      child.on('exit', onExit);
    });
  }
}

/**
 * Runs the tests for every mutant, phase by phase: a later phase only for the mutants that survived the earlier ones.
 *
 * @param project the compiled project that contains all mutants.
 * @param tests its test files.
 * @param numbers the mutants to run.
 * @param jobs parallel processes.
 * @param onPhase receives the name of a phase and its number of mutants; returns a function to call after each mutant.
 * @param onResult receives each result: `number`, `killedBy` (a test, 'timeout' or null) and `ms`.
 * @throws Error if the tests fail without a mutant, or if the runner cannot activate mutants.
 */
export async function runMutants({ project, tests, numbers, jobs, onPhase, onResult }) {
  const processes = Array.from({ length: jobs }, () => new TestProcess(project));
  try {
    const [first] = processes;
    const control = await first.run(1, [CONTROL_TEST], Infinity);
    if (control.length === 0) throw new Error('The test runner does not activate mutants: it ignores `coinbase`');
    const phases = splitIntoPhases(project, tests);
    const timeouts = [];
    for (const [, files] of phases) {
      const start = performance.now();
      const failures = await first.run(0, files, Infinity);
      if (failures.length > 0) throw new Error(`These tests fail without any mutant:\n${failures.join('\n')}`);
      timeouts.push(Math.max(PATIENCE * (performance.now() - start), MIN_TIMEOUT_MS));
    }
    const spent = new Map(numbers.map((number) => [number, 0]));
    let survivors = numbers;
    for (const [index, [phase, files]] of phases.entries()) {
      const isLast = index === phases.length - 1;
      const onRun = onPhase(phase, survivors.length);
      const queue = [...survivors];
      survivors = [];
      const work = async (testProcess) => {
        for (let number = queue.shift(); number !== undefined; number = queue.shift()) {
          const start = performance.now();
          const [killedBy = null] = await testProcess.run(number, files, timeouts[index]);
          const ms = spent.get(number) + Math.round(performance.now() - start);
          spent.set(number, ms);
          if (killedBy === null) survivors.push(number);
          if (killedBy !== null || isLast) onResult({ number, killedBy, ms });
          onRun(killedBy);
        }
      };
      await Promise.all(processes.map(work));
    }
  } finally {
    for (const testProcess of processes) testProcess.stop();
  }
}
