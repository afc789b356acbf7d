import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const require = createRequire(import.meta.url);
const solc = require('solc');

/**
 * Rewrites Solidity sources so that a report of statements becomes a report of branches. Every condition (of `if`,
 * loops, `? :`, `&&`, `||`) passes through its own function, whose two return statements are its two outcomes. Every
 * clause of a `try` calls such a function first. Line numbers do not change.
 *
 * @param files paths by import name.
 * @param readImport returns the source of an imported library.
 * @returns the rewritten sources by name, the library of outcomes, and the branches with their lines in it.
 */
export function instrumentBranches(files, readImport) {
  const sources = Object.fromEntries(
    Object.entries(files).map(([name, path]) => [name, { content: readFileSync(path, 'utf8') }]),
  );
  const input = { language: 'Solidity', sources, settings: { outputSelection: { '*': { '': ['ast'] } } } };
  const output = JSON.parse(
    solc.compile(JSON.stringify(input), { import: (name) => ({ contents: readImport(name) }) }),
  );
  const failed = (output.errors ?? []).find(({ severity }) => severity === 'error');
  if (failed) throw new Error(failed.formattedMessage);

  const outcomes = ['// SPDX-License-Identifier: MIT', 'pragma solidity 0.8.37;', 'library Outcomes {'];
  const branches = [];
  const rewritten = {};
  for (const [name, { content }] of Object.entries(sources)) {
    const bytes = Buffer.from(content);
    const edits = [];
    const branchAt = ([start, length]) => {
      const number = branches.length;
      const line = bytes.subarray(0, start).toString().split('\n').length;
      const text = bytes.subarray(start, start + length).toString();
      const first = outcomes.length + 2;
      outcomes.push(`function of${number}(bool c) internal pure returns (bool) { if (c) {`);
      outcomes.push('return true;', '}', 'return false;', '}');
      branches.push({ name, line, text, whenTrue: first, whenFalse: first + 2 });
      return `Outcomes.of${number}`;
    };
    const ast = output.sources[name].ast;
    for (const condition of findConditions(ast)) {
      const [start, length] = parsePlace(condition);
      edits.push(
        { at: start, order: length, text: `${branchAt([start, length])}(` },
        { at: start + length, order: -length, text: ')' },
      );
    }
    for (const attempt of walkNodes(ast)) {
      if (attempt.nodeType !== 'TryStatement') continue;
      const outcome = branchAt(parsePlace(attempt.externalCall));
      // The first clause is the success. The call goes after the opening brace of each clause.
      for (const [index, { block }] of attempt.clauses.entries()) {
        edits.push({ at: parsePlace(block)[0] + 1, order: 0, text: ` ${outcome}(${index === 0}); ` });
      }
    }
    // Outer conditions open before and close after those within them.
    edits.sort((a, b) => b.at - a.at || (a.text === ')') - (b.text === ')') || a.order - b.order);
    let changed = bytes;
    for (const { at, text } of edits) {
      changed = Buffer.concat([changed.subarray(0, at), Buffer.from(text), changed.subarray(at)]);
    }
    const depth = name.split('/').length - 2;
    const path = `${depth === 0 ? './' : '../'.repeat(depth)}Outcomes.sol`;
    const imports = edits.length === 0 ? '' : ` import {Outcomes} from "${path}";`;
    rewritten[name] = changed.toString().replace(/pragma solidity 0\.8\.37;/, (pragma) => pragma + imports);
  }
  outcomes.push('}');
  return { rewritten, outcomes: `${outcomes.join('\n')}\n`, branches };
}

/** The offset and length of a node, in bytes. */
function parsePlace(node) {
  return node.src.split(':').map(Number);
}

function* findConditions(ast) {
  for (const node of walkNodes(ast)) {
    if (node.nodeType === 'IfStatement' || node.nodeType === 'Conditional') yield node.condition;
    if (/^(For|While|DoWhile)Statement$/.test(node.nodeType) && node.condition) yield node.condition;
    if (node.nodeType === 'BinaryOperation' && (node.operator === '&&' || node.operator === '||')) {
      yield node.leftExpression;
      yield node.rightExpression;
    }
  }
}

/** Every node of a tree, without inline assembly. */
function* walkNodes(node) {
  if (node === null || typeof node !== 'object' || node.nodeType === 'InlineAssembly') return;
  if (!Array.isArray(node)) yield node;
  for (const child of Object.values(node)) yield* walkNodes(child);
}
