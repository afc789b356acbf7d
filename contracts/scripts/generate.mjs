import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

// Writes the ABIs and the code of the compiled contracts as TypeScript: `as const`, so that viem infers every argument,
// and without any library.
const CONTRACTS = {
  bridgeLock: 'bridge/BridgeLock',
  bridgeMint: 'bridge/BridgeMint',
  bridgedToken: 'tokens/BridgedToken',
  bridgeFactory: 'deploy/BridgeFactory',
  adminTimelock: 'deploy/AdminTimelock',
  testUsdc: 'mocks/TestUSDC',
  testXcn: 'mocks/TestXCN',
};

/** A bridge passes on the reverts of the tokens that it calls, so its exported ABI has their errors, too. */
const CALLED_TOKENS = { bridgeLock: ['testUsdc', 'testXcn'], bridgeMint: ['bridgedToken'] };

const folder = new URL('../generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
const abis = [];
const bytecodes = [];
const deployed = [];
for (const [name, path] of Object.entries(CONTRACTS)) {
  const contract = path.split('/').at(-1);
  const { abi, bytecode, deployedBytecode: code, immutableReferences } = artifactOf(name);
  const errors = (CALLED_TOKENS[name] ?? []).flatMap((token) => errorsOf(artifactOf(token).abi));
  const whole = [...abi, ...errors].filter(isFirstError);
  const note = errors.length > 0 ? ', with the errors of the tokens that it calls' : '';
  abis.push(
    `/** ABI of ${contract}${note}. */\nexport const ${name}Abi = ${JSON.stringify(whole, null, 2)} as const;\n`,
  );
  bytecodes.push(
    `/** Creation code of ${contract}, without its constructor arguments. */\nexport const ${name}Bytecode = '${bytecode}' as const;\n`,
  );
  const immutables = Object.values(immutableReferences ?? {}).flat();
  deployed.push(
    `/** Deployed code of ${contract}, with zeros where its constructor writes immutables. */\nexport const ${name}Code = ${JSON.stringify({ code, immutables })} as const;\n`,
  );
}
writeFileSync(new URL('abi.ts', folder), abis.join('\n'));
writeFileSync(new URL('bytecode.ts', folder), bytecodes.join('\n'));
writeFileSync(new URL('deployed-code.ts', folder), deployed.join('\n'));

function artifactOf(name) {
  const path = CONTRACTS[name];
  const file = new URL(`../artifacts/src/${path}.sol/${path.split('/').at(-1)}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

function errorsOf(abi) {
  return abi.filter(({ type }) => type === 'error');
}

/** False for an error whose signature stands earlier in the ABI; decoders refuse or ignore duplicates. */
function isFirstError(item, index, abi) {
  if (item.type !== 'error') return true;
  return abi.findIndex((other) => other.type === 'error' && signatureOf(other) === signatureOf(item)) === index;
}

function signatureOf({ name, inputs }) {
  return `${name}(${inputs.map(({ type }) => type).join(',')})`;
}
