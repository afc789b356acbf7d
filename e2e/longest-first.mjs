import { relative } from 'node:path';

/** The longest files. Jest knows only their sizes until it has run them. */
const LONGEST = [
  'test/web/web.test.ts',
  'test/docs.test.ts',
  'test/drills.test.ts',
  'test/admin/console.test.ts',
  'test/api.test.ts',
  'chaos/chaos.test.ts',
  'test/stack.test.ts',
  'test/lying-node.test.ts',
  'test/sdk.test.ts',
  'test/operating.test.ts',
];

function rank({ path }) {
  const place = LONGEST.indexOf(relative(import.meta.dirname, path));
  return place === -1 ? LONGEST.length : place;
}

const order = (tests) => tests.toSorted((one, other) => rank(one) - rank(other) || one.path.localeCompare(other.path));

/** Starts the longest files first, so that none runs alone at the end, and gives each shard as many of them. */
export default class LongestFirst {
  sort(tests) {
    return order(tests);
  }

  shard(tests, { shardIndex, shardCount }) {
    return order(tests).filter((_, index) => index % shardCount === shardIndex - 1);
  }

  /** For `--onlyFailures`, which needs the results of earlier runs. */
  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {
    // The order needs no results of earlier runs.
  }
}
