/** A copy of a JSON value with one change. */
interface Alteration {
  readonly path: string;
  readonly altered: unknown;
}

/** All copies of a JSON value in which one leaf is another one, one field is missing, or one is added. */
export function listAlterations(value: unknown): readonly Alteration[] {
  return alter(value, '');
}

function alter(value: unknown, path: string): readonly Alteration[] {
  if (typeof value !== 'object' || value === null) return toOthers(value).map((altered) => ({ path, altered }));
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const inner = items.flatMap((each, index) =>
      alter(each, path).map(({ altered }) => ({ path, altered: items.with(index, altered) })),
    );
    const removed = items.map((_, index) => ({ path, altered: items.toSpliced(index, 1) }));
    return [...inner, ...removed, { path, altered: [...items, '0x00'] }];
  }
  const fields: readonly (readonly [string, unknown])[] = Object.entries(value);
  const inner = fields.flatMap(([name, each]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const others = fields.filter(([other]) => other !== name);
    const changed = alter(each, at).map((one) => ({
      path: one.path,
      altered: Object.fromEntries([...others, [name, one.altered]]),
    }));
    return [...changed, { path: at, altered: Object.fromEntries(others) }];
  });
  return [...inner, { path: path === '' ? 'more' : `${path}.more`, altered: { ...value, more: 1 } }];
}

function toOthers(leaf: unknown): readonly unknown[] {
  if (typeof leaf === 'number') return [leaf + 1, `${leaf}`];
  if (typeof leaf !== 'string') return [0, '1'];
  const middle = Math.floor(leaf.length / 2);
  const other = leaf[middle] === '1' ? '2' : '1';
  const texts = [`${leaf.slice(0, middle)}${other}${leaf.slice(middle + 1)}`, `${leaf}00`, leaf.toUpperCase()];
  return texts.filter((text) => text !== leaf);
}
