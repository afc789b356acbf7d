import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

// Proves every assertion in formal/ for all inputs. The compiler's SMTChecker writes the queries and Z3 answers them.
// The JavaScript build of the compiler cannot run Z3, because it has no threads.

const TIMEOUT_MS = 60_000;
const require = createRequire(import.meta.url);
const solc = require('solc');
const { init } = createRequire(new URL('../../scripts/tools/proofs/package.json', import.meta.url))('z3-solver');
const project = fileURLToPath(new URL('..', import.meta.url));
const readSource = (name) => readFileSync(`${project}/${name}`, 'utf8');
const { Z3 } = await init();

let failures = 0;
for (const name of globSync('formal/*.sol', { cwd: project })) {
  const content = readSource(name);
  const contracts = { [name]: [/(\w+)\.sol$/.exec(name)[1]] };
  const settings = {
    modelChecker: { engine: 'bmc', targets: ['assert'], solvers: ['smtlib2'], contracts },
    outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
  };
  const input = JSON.stringify({ language: 'Solidity', sources: { [name]: { content } }, settings });
  const output = JSON.parse(solc.compile(input, { import: (path) => ({ contents: readSource(path) }) }));
  const failed = (output.errors ?? []).find(({ severity }) => severity === 'error');
  if (failed) throw new Error(failed.formattedMessage);

  // One query per assertion: is there an input that breaks it? Only "unsat" means that there is none.
  const answers = [];
  for (const question of Object.values(output.auxiliaryInputRequested?.smtlib2queries ?? {})) {
    const context = Z3.mk_context(Z3.mk_config());
    answers.push(await Z3.eval_smtlib2_string(context, `(set-option :timeout ${TIMEOUT_MS})\n${question}`));
    Z3.del_context(context);
  }
  const assertions = [...content.matchAll(/^\s*assert\(/gm)].length;
  const proven = answers.filter((answer) => /^unsat\b/.test(answer)).length;
  console.log(`${name}: ${proven} of ${assertions} assertions are proven`);
  for (const answer of answers.filter((given) => !/^unsat\b/.test(given))) console.log(answer);
  if (proven !== assertions || answers.length !== assertions) failures++;
}
// Z3's threads would keep the process alive.
process.exit(failures === 0 ? 0 : 1);
