import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

// Writes the ABIs and the code of the compiled contracts as TypeScript: `as const`, so that viem infers every argument,
// and free of any library.
const CONTRACTS = {
  bridgeLock: 'bridge/BridgeLock',
  bridgeMint: 'bridge/BridgeMint',
  bridgedToken: 'tokens/BridgedToken',
  bridgeFactory: 'deploy/BridgeFactory',
  adminTimelock: 'deploy/AdminTimelock',
  testUsdc: 'mocks/TestUSDC',
  testXcn: 'mocks/TestXCN',
};

const folder = new URL('../generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
const abis = [];
const bytecodes = [];
const deployed = [];
for (const [name, path] of Object.entries(CONTRACTS)) {
  const contract = path.split('/').at(-1);
  const file = new URL(`../artifacts/src/${path}.sol/${contract}.json`, import.meta.url);
  const { abi, bytecode, deployedBytecode: code, immutableReferences } = JSON.parse(readFileSync(file, 'utf8'));
  abis.push(`/** ABI of ${contract}. */\nexport const ${name}Abi = ${JSON.stringify(abi, null, 2)} as const;\n`);
  bytecodes.push(
    `/** Creation code of ${contract}, without its constructor arguments. */\nexport const ${name}Bytecode = '${bytecode}' as const;\n`,
  );
  const immutables = Object.values(immutableReferences ?? {}).flat();
  deployed.push(
    `/** Code of ${contract} on a chain, where its constructor writes immutables zeros. */\nexport const ${name}Code = ${JSON.stringify({ code, immutables })} as const;\n`,
  );
}
writeFileSync(new URL('abi.ts', folder), abis.join('\n'));
writeFileSync(new URL('bytecode.ts', folder), bytecodes.join('\n'));
writeFileSync(new URL('deployed-code.ts', folder), deployed.join('\n'));
