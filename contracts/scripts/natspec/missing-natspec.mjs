/**
 * Names what of the contracts' NatSpec is missing: a title and a notice of each contract, a notice of each item, every
 * parameter and every return value. An item that inherits its documentation has it.
 *
 * @param contracts what readItems found.
 * @returns one line for each gap.
 */
export function missingNatspec(contracts) {
  return contracts.flatMap(({ file, name, doc, items, kind }) => {
    const gaps = ['title', 'notice'].filter((tag) => !has(doc, tag)).map((tag) => `${file}: ${name} lacks @${tag}`);
    for (const item of items) {
      if (has(item.doc, 'inheritdoc')) continue;
      const where = `${file}: ${item.kind} ${item.name}`;
      // What only the contract's own code may use is explained to its readers, not to its users.
      const own =
        (item.kind === 'struct' || (item.kind === 'constructor' && kind === 'abstract contract')) &&
        has(item.doc, 'dev');
      if (own) continue;
      if (!has(item.doc, 'notice')) gaps.push(`${where} lacks @notice`);
      for (const param of item.params) {
        const found = item.doc.some(({ tag, text }) => tag === 'param' && text.startsWith(`${param} `));
        if (!found) gaps.push(`${where} lacks @param ${param}`);
      }
      const returned = item.doc.filter(({ tag }) => tag === 'return').length;
      if (returned < item.returns.length) gaps.push(`${where} lacks @return`);
    }
    return gaps;
  });
}

function has(doc, wanted) {
  return doc.some(({ tag, text }) => tag === wanted && text !== '');
}
