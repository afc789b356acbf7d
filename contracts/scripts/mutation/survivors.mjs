/** The fields that name a mutant in the list of explained survivors. */
const NAME = ['file', 'function', 'operator', 'original', 'mutated', 'occurrence'];

const toKey = (mutant) => JSON.stringify(NAME.map((field) => mutant[field] ?? (field === 'occurrence' ? 1 : '')));

/** A mutant as an entry of the list, still without a reason. */
export function toEntry(mutant) {
  const fields = NAME.filter((field) => field !== 'occurrence' || mutant.occurrence > 1);
  return Object.fromEntries(fields.map((field) => [field, mutant[field]]));
}

/**
 * Compares the survivors of a run with the explained ones.
 *
 * @param mutants all mutants of the sources.
 * @param survivors the numbers of mutants that no test killed.
 * @param ran the numbers of mutants that were run.
 * @param explained the committed list: entries with a `reason`.
 * @returns survivors that the list does not explain, and entries of the list that are wrong, each with the problem.
 */
export function compare({ mutants, survivors, ran, explained }) {
  const byKey = new Map(mutants.map((mutant) => [toKey(mutant), mutant]));
  const wrong = [];
  const reasons = new Map();
  for (const entry of explained) {
    const mutant = byKey.get(toKey(entry));
    if (!entry.reason) wrong.push({ entry, problem: 'has no reason' });
    else if (reasons.has(toKey(entry))) wrong.push({ entry, problem: 'is listed twice' });
    else if (mutant === undefined) wrong.push({ entry, problem: 'matches no mutant' });
    else if (ran.has(mutant.number) && !survivors.has(mutant.number))
      wrong.push({ entry, problem: 'is of a mutant that a test kills' });
    reasons.set(toKey(entry), entry.reason);
  }
  const unexplained = mutants.filter((mutant) => survivors.has(mutant.number) && !reasons.get(toKey(mutant)));
  return { unexplained, wrong };
}
