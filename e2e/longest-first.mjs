import { createRequire } from 'node:module';
import { relative } from 'node:path';

const require = createRequire(createRequire(import.meta.url).resolve('jest/package.json'));
const { default: Sequencer } = require('@jest/test-sequencer');

/** The longest files. Jest knows only their sizes until it has run them. */
const LONGEST = [
  'test/admin/console.test.ts',
  'test/api.test.ts',
  'chaos/chaos.test.ts',
  'test/docs.test.ts',
  'test/stack.test.ts',
  'test/lying-node.test.ts',
  'test/operating/attesters.test.ts',
  'test/sdk.test.ts',
  'test/operating.test.ts',
];

/** Starts the longest files first, so that none runs alone at the end. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const place = LONGEST.indexOf(relative(import.meta.dirname, path));
      return place === -1 ? LONGEST.length : place;
    };
    return tests.toSorted((one, other) => rank(one) - rank(other));
  }
}
