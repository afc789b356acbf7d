import { findConstantMutants, findMutants } from './operators.mjs';
import { analyse, findDeclarations, getRange } from './syntax.mjs';

const STATEMENT = /(?:Statement|^Return|^Continue|^Break|^InlineAssembly)$/;
const HEADS = /^(?:If|For|While)Statement$/;

/**
 * All mutants of some sources, numbered from 1 in the order of files and positions.
 *
 * @param sources texts by import name, including all imports of the mutated ones.
 * @param names the sources to mutate.
 * @returns mutants: `number`; `file`, `function`, `original`, `mutated` and `occurrence`, which together identify a
 * mutant while its statement does not change; `line`, `operator`; `sites`, see operators.mjs.
 */
export function listMutants(sources, names) {
  const { trees, errors } = analyse(sources);
  if (errors.length > 0) throw new Error(errors[0].formattedMessage);
  const declarations = findDeclarations(trees);
  const seen = new Map();
  const mutants = [];
  for (const file of names) {
    const source = Buffer.from(sources[file]);
    const found = [...findMutants(trees[file], source, declarations), ...findConstantMutants(file, trees)];
    for (const { operator, node, within, sites, shown } of found) {
      const { original, mutated } = shown ?? describe(node, within, sites, source);
      const name = { file, function: getName(node, within), operator, original, mutated };
      const key = JSON.stringify(name);
      const occurrence = (seen.get(key) ?? 0) + 1;
      seen.set(key, occurrence);
      const line = source.subarray(0, getRange(node).start).toString().split('\n').length;
      const located = sites.map((site) => ({ file, ...site }));
      mutants.push({ number: mutants.length + 1, ...name, occurrence, line, sites: located });
    }
  }
  return mutants;
}

function getName(node, within) {
  const names = [node, ...within]
    .filter(({ nodeType }) => /^(?:Contract|Function|Modifier)Definition$/.test(nodeType))
    .map(({ name, kind }) => name || kind);
  return names.toReversed().join('.');
}

/** The statement around a change, before and after, each on one line. */
function describe(node, within, sites, source) {
  const squash = (text) => text.replaceAll(/\s+/g, ' ').trim();
  const cut = (start, end) => source.subarray(start, end).toString();
  const [first] = sites;
  if (first.modifier) {
    const { start, end } = getRange(first.modifier);
    return { original: `${first.function.name}() ${cut(start, end)}`, mutated: `${first.function.name}()` };
  }
  const context = [node, ...within].find(({ nodeType }) => STATEMENT.test(nodeType));
  const { start, end } = contextRange(context, !first.skip);
  const original = squash(cut(start, end));
  if (first.skip) return { original, mutated: '' };
  let mutated = '';
  let from = start;
  for (const site of sites.toSorted((a, b) => a.start - b.start)) {
    mutated += cut(from, site.start) + (site.shown ?? site.text);
    from = site.end;
  }
  return { original, mutated: squash(mutated + cut(from, end)) };
}

/** The range of a statement, or of its head if it has a block. */
function contextRange(context, inHead) {
  const { start, end } = getRange(context);
  const block = context.trueBody ?? context.body;
  const isHead = inHead && HEADS.test(context.nodeType) && block?.nodeType === 'Block';
  return { start, end: isHead ? getRange(block).start : end };
}
