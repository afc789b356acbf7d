import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const solc = require('solc');

/** Reads an imported library, or one of the sources themselves. */
const readImport = (name) => ({ contents: readFileSync(require.resolve(name), 'utf8') });

/**
 * Analyses sources without generating code.
 *
 * @param sources texts by import name.
 * @returns the syntax trees by import name, and the compiler's errors.
 */
export function analyse(sources) {
  const contents = Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }]));
  const settings = { evmVersion: 'cancun', outputSelection: { '*': { '': ['ast'] } } };
  const input = JSON.stringify({ language: 'Solidity', sources: contents, settings });
  const output = JSON.parse(solc.compile(input, { import: readImport }));
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  const trees = Object.fromEntries(Object.entries(output.sources ?? {}).map(([name, { ast }]) => [name, ast]));
  return { trees, errors };
}

/** The first byte of a node, and the byte after its last. */
export function getRange(node) {
  const [start, length] = node.src.split(':').map(Number);
  return { start, end: start + length };
}

/** The nodes directly below a node, in the order of its properties. */
export function getChildren(node) {
  return Object.values(node)
    .flat(2)
    .filter((child) => typeof child?.nodeType === 'string');
}

/** Every node of a tree with its ancestors, nearest first. Skips inline assembly. */
export function* walk(node, ancestors = []) {
  yield { node, ancestors };
  if (node.nodeType === 'InlineAssembly') return;
  for (const child of getChildren(node)) yield* walk(child, [node, ...ancestors]);
}

/** All declarations of some trees by their number. */
export function findDeclarations(trees) {
  const found = new Map();
  for (const tree of Object.values(trees)) {
    for (const { node } of walk(tree)) found.set(node.id, node);
  }
  return found;
}

/** The type of an expression without its data location. */
export function getType(node) {
  return (node.typeDescriptions?.typeString ?? '').replace(/ (?:storage|memory|calldata)(?: ref| pointer)?\b/g, '');
}

/** Whether an expression is an untyped number that the compiler computes. */
export const isRational = (node) => (node.typeDescriptions?.typeIdentifier ?? '').startsWith('t_rational');
