import { getRange } from './syntax.mjs';

// Mutant schemata (Untch, Offutt, Harrold 1993): one program that contains all mutants. A number that the test runner
// sets selects one. Here it is the block's coinbase, which costs 2 gas to read and which no source uses.
const isActive = (number) => `block.coinbase == address(${number}e9)`;
const isInactive = (number) => `block.coinbase != address(${number}e9)`;

/** The coinbase that activates a mutant; none for 0. The factor avoids the addresses of precompiles and tests. */
export const toCoinbase = (number) => `0x${(BigInt(number) * 10n ** 9n).toString(16).padStart(40, '0')}`;

/** A test that fails when a mutant is active: otherwise a runner that activates none would find only survivors. */
export const CONTROL = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;
contract ControlTest {
    function test_NoMutantIsActive() external view {
        require(block.coinbase == address(0));
    }
}
`;

/**
 * Writes all mutants of a file into its text. Line breaks stay where they are.
 *
 * @param source the text in bytes.
 * @param mutants those with sites in this file; only one of them is active at a time.
 * @param file the file's name.
 * @returns the new text.
 */
export function embed(source, mutants, file) {
  const places = new Map();
  const functions = new Map();
  for (const { number, sites } of mutants) {
    for (const site of sites.filter((candidate) => candidate.file === file)) {
      if (site.modifier) {
        const list = functions.get(site.function) ?? [];
        functions.set(site.function, [...list, { number, modifier: site.modifier }]);
      } else {
        const end = site.skip ? findStatementEnd(source, site.end) : site.end;
        const place = places.get(`${site.start} ${end}`) ?? {
          start: site.start,
          end,
          skips: [],
          texts: [],
          nevers: [],
        };
        places.set(`${site.start} ${end}`, place);
        if (site.skip) place.skips.push(number);
        else if (site.never) place.nevers.push(number);
        else place.texts.push({ number, text: site.text });
      }
    }
  }
  const edits = [...functions].flatMap(([definition, removals]) => splitFunction(source, definition, removals));
  const outerFirst = [...places.values(), ...edits].toSorted((a, b) => a.start - b.start || b.end - a.end);
  return render(source, 0, source.length, outerFirst);
}

/** The offset after a statement's semicolon, which its node does not include. */
function findStatementEnd(source, end) {
  const rest = source.subarray(end).toString();
  return end + (/^\s*;/.exec(rest)?.[0].length ?? 0);
}

/** The text from `start` to `end` with its places, which it takes from the front of the list. */
function render(source, start, end, places) {
  let text = '';
  let from = start;
  while (places.length > 0 && places[0].start < end) {
    const place = places.shift();
    text += source.subarray(from, place.start).toString();
    const inner = place.text ?? render(source, place.start, place.end, places);
    text += place.text ?? wrap(inner, place);
    from = place.end;
  }
  return text + source.subarray(from, end).toString();
}

function wrap(inner, { skips, texts, nevers }) {
  if (nevers.length > 0) return `mul(${inner}, iszero(eq(coinbase(), ${nevers[0]}000000000)))`;
  if (skips.length > 0) return `{ if (${skips.map(isInactive).join(' && ')}) { ${inner} } }`;
  // A mutant contains its original operands, since only one mutant is active at a time.
  const choices = texts.map(({ number, text }) => `${isActive(number)} ? /*${number}*/(${text})/*end ${number}*/ : `);
  return `(${choices.join('')}(${inner}))`;
}

/** A function with modifiers becomes one that calls its body with all modifiers, or without one of them. */
function splitFunction(source, definition, removals) {
  const { name, id, modifiers, parameters, returnParameters, stateMutability, body } = definition;
  const cut = (node) => source.subarray(getRange(node).start, getRange(node).end).toString().replaceAll(/\s+/g, ' ');
  const mutability = stateMutability === 'view' ? 'view' : '';
  const returns = returnParameters.parameters.length > 0 ? `returns ${cut(returnParameters)}` : '';
  const given = `(${parameters.parameters.map((parameter) => parameter.name).join(', ')})`;
  const header = (suffix, kept) =>
    `function ${name}_${id}_${suffix}${cut(parameters)} private ${mutability} ${kept.map(cut).join(' ')} ${returns}`;
  const bare = `${name}_${id}_bare`;
  const choices = removals.map(({ number }) => `if (${isActive(number)}) return ${name}_${id}_${number}${given};`);
  const variants = [{ suffix: 'all', kept: modifiers }].concat(
    removals.map(({ number, modifier }) => ({ suffix: number, kept: modifiers.filter((other) => other !== modifier) })),
  );
  const glue = [
    `{ ${choices.join(' ')} return ${name}_${id}_all${given}; }`,
    ...variants.map(({ suffix, kept }) => `${header(suffix, kept)} { return ${bare}${given}; }`),
    `${header('bare', [])} `,
  ].join(' ');
  const blank = modifiers.map((modifier) => ({ ...getRange(modifier), text: cut(modifier).replaceAll(/./g, ' ') }));
  const { start } = getRange(body);
  return [...blank, { start, end: start, text: glue }];
}
