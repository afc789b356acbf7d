import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

// Writes the ABIs and code of the compiled contracts as TypeScript without imports, `as const`, so that viem infers
// every argument. The files are committed, so that only a change of a contract needs the compiler. With --check, writes
// nothing and fails when a file differs from the compiled contracts.
const CONTRACTS = {
  bridgeLock: 'bridge/BridgeLock',
  bridgeMint: 'bridge/BridgeMint',
  bridgedToken: 'tokens/BridgedToken',
  bridgeFactory: 'deploy/BridgeFactory',
  adminTimelock: 'deploy/AdminTimelock',
  sentinel: 'deploy/Sentinel',
  testUsdc: 'mocks/TestUSDC',
  testXcn: 'mocks/TestXCN',
};

/** Contracts whose code only a testnet deployment needs. */
const CODE_ONLY = { testnetUsdc: 'mocks/TestnetUSDC', testnetXcn: 'mocks/TestnetXCN' };

/** A contract passes on the reverts of contracts that it calls, so its exported ABI includes their errors. */
const CALLED = {
  bridgeLock: ['testUsdc', 'testXcn'],
  bridgeMint: ['bridgedToken'],
  adminTimelock: ['bridgeLock', 'bridgeMint'],
  sentinel: ['bridgeLock'],
};

/**
 * The functions and events that partners use. Each has its own export, so that bundlers drop the rest. A function of
 * several contracts is the same in all.
 */
const ITEMS = {
  bridgeLock: ['depositNative', 'deposit', 'depositWithPermit', 'depositWithAuthorization', 'Deposit', 'Release'],
  bridgeMint: [
    'burn',
    'withdrawNative',
    'quoteFee',
    'claim',
    'claimable',
    'relayer',
    'Withdraw',
    'Mint',
    'Credited',
    'Claimed',
  ],
  testUsdc: ['approve', 'allowance', 'balanceOf', 'nonces', 'authorizationState', 'name', 'eip712Domain'],
};

/** The version of USDC's EIP-712 domain, which the test token has only in `eip712Domain`. */
const VERSION = {
  inputs: [],
  name: 'version',
  outputs: [{ name: '', type: 'string' }],
  stateMutability: 'view',
  type: 'function',
};

/** The smart accounts for the tests of other packages, by their file in `test/accounts`. */
const ACCOUNTS = {
  OwnedAccount: ['OwnedAccount', 'OwnedAccountFactory'],
  MultiSigAccount: ['MultiSigAccount'],
  HostileAccounts: ['AnsweringAccount', 'RevertingAccount', 'LoopingAccount', 'BombingAccount', 'LegacyAccount'],
  Payers: ['Forwarder', 'Payout'],
};

/** The deployed code of the smart accounts in the genesis of simulated chains. */
const SIMULATED = { OpenAccounts: ['OpenAccount', 'OpenEntryPoint'] };

/** The smart account in the genesis of a stack. Only its deployed code is exported. */
const STACK_ACCOUNT = 'StackAccount';

const GENERATE = 'npx pnpm@12.21.0 --filter @causeway/contracts run generate';
const project = join(import.meta.dirname, '..');
const { values: flags } = parseArgs({ options: { check: { type: 'boolean' }, folder: { type: 'string' } } });
const folder = resolve(flags.folder ?? join(project, 'generated'));

const files = { ...bridgeFiles(), 'abi-items.ts': abiItems(), 'test-accounts.json': testAccounts() };
if (flags.check === true) check();
else write();

function check() {
  const different = Object.entries(files).filter(([name, text]) => {
    const file = join(folder, name);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
  if (different.length === 0) return;
  const names = different.map(([name]) => `contracts/generated/${name}`).join(', ');
  console.error(`${names}: not what the contracts compile to. Run: ${GENERATE}`);
  process.exitCode = 1;
}

function write() {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

function bridgeFiles() {
  const abis = [];
  const bytecodes = [];
  const deployed = [];
  for (const [name, path] of Object.entries(CONTRACTS)) {
    const contract = path.split('/').at(-1);
    const { abi, bytecode, deployedBytecode: code, immutableReferences } = readContractArtifact(name);
    const whole = [...abi, ...findErrorsOfCalled(name)].filter(isFirstError);
    const note = whole.length > abi.length ? ', with the errors of the contracts that it calls' : '';
    abis.push(
      `/** ABI of ${contract}${note}. */\nexport const ${name}Abi = ${JSON.stringify(whole, null, 2)} as const;\n`,
    );
    bytecodes.push(printBytecode(name, contract, bytecode));
    if (path.startsWith('mocks/')) continue;
    const immutables = Object.values(immutableReferences ?? {}).flat();
    deployed.push(
      `/** Deployed code of ${contract}, with zeros where its constructor writes immutables. */\nexport const ${name}Code = ${JSON.stringify({ code, immutables })} as const;\n`,
    );
  }
  for (const [name, path] of Object.entries(CODE_ONLY)) {
    bytecodes.push(printBytecode(name, path.split('/').at(-1), readContractArtifact(name).bytecode));
  }
  const { deployedBytecode } = readArtifact(`test/accounts/${STACK_ACCOUNT}.sol/${STACK_ACCOUNT}.json`);
  bytecodes.push(
    `/** Deployed code of ${STACK_ACCOUNT}, Alice's in the genesis of a stack. */\nexport const stackAccountCode = '${deployedBytecode}' as const;\n`,
  );
  return { 'abi.ts': abis.join('\n'), 'bytecode.ts': bytecodes.join('\n'), 'deployed-code.ts': deployed.join('\n') };
}

function printBytecode(name, contract, bytecode) {
  const note = `/** Creation code of ${contract}, without its constructor arguments. */`;
  return `${note}\nexport const ${name}Bytecode = '${bytecode}' as const;\n`;
}

function abiItems() {
  const items = Object.entries(ITEMS).flatMap(([contract, names]) => {
    const { abi } = readContractArtifact(contract);
    return names.map((name) => abi.find((item) => item.name === name && item.type !== 'error'));
  });
  const texts = [...items, VERSION].map((item) => {
    const suffix = item.type === 'event' ? 'EventAbi' : 'Abi';
    const name = `${item.name[0].toLowerCase()}${item.name.slice(1)}${suffix}`;
    return `/** ABI of the ${item.type} \`${formatSignature(item)}\` alone. */\nexport const ${name} = ${printItems([item])};\n`;
  });
  const errors = ['bridgeLock', 'bridgeMint']
    .flatMap((name) => [...findErrors(readContractArtifact(name).abi), ...findErrorsOfCalled(name)])
    .filter(isFirstError);
  const note = 'Every error of the bridge contracts and of the tokens that they call.';
  return [...texts, `/** ${note} */\nexport const bridgeErrorsAbi = ${printItems(errors)};\n`].join('\n');
}

/** Omits `internalType`, which no library reads. */
function printItems(items) {
  return `${JSON.stringify(items, (key, value) => (key === 'internalType' ? undefined : value))} as const`;
}

function testAccounts() {
  const pick = (sources, fields) =>
    Object.entries(sources).flatMap(([file, names]) =>
      names.map((name) => {
        const artifact = readArtifact(`test/accounts/${file}.sol/${name}.json`);
        return [name, Object.fromEntries(fields.map((field) => [field, artifact[field]]))];
      }),
    );
  const accounts = [...pick(ACCOUNTS, ['abi', 'bytecode']), ...pick(SIMULATED, ['abi', 'deployedBytecode'])];
  return `${JSON.stringify(Object.fromEntries(accounts), null, 2)}\n`;
}

function readContractArtifact(name) {
  const path = { ...CONTRACTS, ...CODE_ONLY }[name];
  return readArtifact(`src/${path}.sol/${path.split('/').at(-1)}.json`);
}

function readArtifact(path) {
  const file = join(project, 'artifacts', path);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  console.error(`${file} is missing: the contracts are not compiled. Run: ${GENERATE}`);
  process.exit(1);
}

function findErrors(abi) {
  return abi.filter(({ type }) => type === 'error');
}

function findErrorsOfCalled(name) {
  return (CALLED[name] ?? []).flatMap((called) => findErrors(readContractArtifact(called).abi));
}

/** Whether no earlier error of the ABI has the same signature: decoders refuse or ignore duplicates. */
function isFirstError(item, index, abi) {
  if (item.type !== 'error') return true;
  return abi.findIndex((other) => other.type === 'error' && formatSignature(other) === formatSignature(item)) === index;
}

function formatSignature({ name, inputs }) {
  return `${name}(${inputs.map(({ type }) => type).join(',')})`;
}
