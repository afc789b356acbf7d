/** A mutant as a difference of one statement. */
export function show({ number, file, line, function: where, operator, original, mutated }) {
  return `#${number} ${file}:${line} ${where} (${operator})\n  - ${original}\n  + ${mutated}`;
}

/** Prints progress from time to time, with the remaining time of the phase. */
export function makeProgressPrinter(phase, total, print) {
  const start = performance.now();
  let [done, killed] = [0, 0];
  return (killedBy) => {
    done += 1;
    if (killedBy !== null) killed += 1;
    if (done % 50 !== 0 && done !== total) return;
    const left = ((performance.now() - start) / done) * (total - done);
    print(`${phase}: ${done} of ${total} mutants run, ${killed} killed, ${(left / 60_000).toFixed(1)} min left`);
  };
}

/** Per file: mutants, killed, explained and unexplained survivors, and the time of its runs. */
export function table(mutants, results, unexplained) {
  const open = new Set(unexplained.map(({ number }) => number));
  const rows = new Map();
  const add = (name, { number }) => {
    const { killedBy, ms } = results.get(number);
    const row = rows.get(name) ?? { mutants: 0, killed: 0, timeouts: 0, explained: 0, unexplained: 0, seconds: 0 };
    row.mutants += 1;
    if (killedBy === null) row[open.has(number) ? 'unexplained' : 'explained'] += 1;
    else row.killed += 1;
    if (killedBy === 'timeout') row.timeouts += 1;
    row.seconds += ms / 1_000;
    rows.set(name, row);
  };
  for (const mutant of mutants) add(mutant.file, mutant);
  for (const mutant of mutants) add('all', mutant);
  const titles = ['file', 'mutants', 'killed', 'timeouts', 'explained', 'unexplained', 'seconds'];
  const lines = [...rows].map(([name, row]) => [
    name,
    ...titles.slice(1).map((title) => (title === 'seconds' ? row[title].toFixed(0) : String(row[title]))),
  ]);
  const width = Math.max(...lines.map(([name]) => name.length));
  return [titles, ...lines]
    .map(([name, ...cells]) => [name.padEnd(width), ...cells.map((cell, i) => cell.padStart(titles[i + 1].length))])
    .map((cells) => cells.join('  '))
    .join('\n');
}
