import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';
import { BRIDGE_SLOTS, TOKEN_SLOTS } from '../src/state/storage-layout.js';

// The layout of the compiled contracts. Only their types are compiled, which takes less than a second.

interface Variable {
  readonly label: string;
  readonly slot: string;
  readonly offset: number;
  readonly type: string;
}

interface Layout {
  readonly storage: readonly Variable[];
  readonly types: Readonly<Record<string, { readonly label: string; readonly members?: readonly Variable[] }>>;
}

const CONTRACTS = new URL('../../../contracts/', import.meta.url);
/** As the package of the contracts finds it. */
const require = createRequire(new URL('package.json', CONTRACTS));
const COMPILER: string = 'solc';

function compileLayout(file: string, name: string): Layout {
  const solc = require(COMPILER) as { compile: (input: string, options: object) => string };
  const read = (path: string) =>
    readFileSync(path.startsWith('@') ? require.resolve(path) : new URL(path, CONTRACTS), 'utf8');
  const input = {
    language: 'Solidity',
    sources: { [file]: { content: read(file) } },
    settings: { evmVersion: 'cancun', outputSelection: { [file]: { [name]: ['storageLayout'] } } },
  };
  const output = solc.compile(JSON.stringify(input), { import: (path: string) => ({ contents: read(path) }) });
  return JSON.parse(output).contracts[file][name].storageLayout;
}

it.each([
  ['src/bridge/BridgeLock.sol', 'BridgeLock', BRIDGE_SLOTS],
  ['src/bridge/BridgeMint.sol', 'BridgeMint', BRIDGE_SLOTS],
  ['src/tokens/BridgedToken.sol', 'BridgedToken', TOKEN_SLOTS],
])('%s has the slots that are read', (file, name, slots) => {
  const { storage, types } = compileLayout(file, name);
  for (const [label, slot] of Object.entries(slots))
    expect(storage.filter((one) => one.label.replace(/^_/, '') === label)).toMatchObject([
      { slot: `${slot}`, offset: 0 },
    ]);
  const state = storage.find(({ label }) => label === '_state');
  if (state === undefined) return;
  const members = types[state.type]?.members?.map(({ label, offset }) => [label, offset * 8]);
  expect(members).toEqual([
    ['relayer', 0],
    ['nonce', 160],
    ['beginningsPausedUntil', 216],
    ['flags', 248],
  ]);
});
