import { compareMigrations, toMigrations, type DatabaseUse } from '@causeway/store/schema';
import { describe, expect, it } from '@jest/globals';
import { judgeUpgrade } from './judge-upgrade.js';

const [FIRST, SECOND, EXPANDING, CONTRACTING] = toMigrations(
  [
    ['20260101000000_first', '20260101000000_first'],
    ['20260102000000_second', '20260101000000_first'],
    ['20260103000000_expanding', '20260102000000_second'],
    ['20260104000000_contracting', '20260104000000_contracting'],
  ].map(([name = '', oldest]) => ({
    name,
    script: `INSERT INTO schema_compatibility VALUES ('${name}', '${oldest}')`,
  })),
) as [Migration, Migration, Migration, Migration];
type Migration = ReturnType<typeof toMigrations>[number];

const APPLIED = [FIRST, SECOND].map((migration) => ({ ...migration, isDone: true }));
const relayer = (name: string, migration: string) => ({
  label: { service: 'relayer', version: '1.0.0', migration, name },
  text: '',
  user: 'causeway_relayer',
  sessions: 12,
});
const USE: DatabaseUse = {
  programs: [relayer('one', '20260102000000'), relayer('two', '20260102000000')],
  leaseHolder: 'one',
};

/** The report as lines `severity check finding`. */
function judge(ours: readonly Migration[], use = USE, records = APPLIED) {
  return judgeUpgrade(compareMigrations(records, ours), use).map(
    ({ severity, check, finding }) => `${severity} ${check} ${finding}`,
  );
}

describe('judgeUpgrade', () => {
  it('keeps programs running under an expanding migration, and lets them go back', () => {
    expect(judge([FIRST, SECOND, EXPANDING])).toEqual([
      'ok migrations 20260103000000_expanding: serves programs from 20260102000000_second; expands',
      'ok programs one 1.0.0, which ships 20260102000000: 12 sessions of causeway_relayer; keeps running',
      'ok programs two 1.0.0, which ships 20260102000000: 12 sessions of causeway_relayer; keeps running',
      'ok rollback programs that ship 20260102000000_second can be started again at any time, on this schema and the next',
      'ok relayers one is active, and one of one, two can take over',
    ]);
  });

  it('names the programs that a contracting migration does not serve, and the lost way back', () => {
    expect(judge([FIRST, SECOND, EXPANDING, CONTRACTING])).toEqual([
      expect.stringMatching(/^ok migrations 20260103000000_expanding/),
      expect.stringMatching(/^warning migrations 20260104000000_contracting: .* contracts$/),
      expect.stringMatching(/^warning programs one .*; not served after 20260104000000_contracting$/),
      expect.stringMatching(/^warning programs two .*; not served after 20260104000000_contracting$/),
      expect.stringMatching(
        /^warning rollback after 20260104000000_contracting, programs that ship .* cannot be started again$/,
      ),
      expect.stringMatching(/^ok relayers/),
    ]);
  });

  it('reports a program, older than the schema, that an expanding migration does not serve', () => {
    const programs = [relayer('old', '20260101000000'), relayer('two', '20260102000000')];
    expect(judge([FIRST, SECOND, EXPANDING], { programs, leaseHolder: 'two' })).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^warning programs old .*; not served after 20260103000000_expanding$/),
      ]),
    );
  });

  it('reports nothing to do when a newer migration serves this release', () => {
    const records = [...APPLIED, { ...EXPANDING, isDone: true }];
    expect(judge([FIRST, SECOND], USE, records).slice(0, 1)).toEqual([
      'ok migrations none is pending; 3 applied, the newest 20260103000000_expanding',
    ]);
  });

  it.each([
    ['was begun', [{ ...SECOND, isDone: false }], 'migrations are unfinished: 20260102000000_second'],
    [
      'was changed',
      [{ ...SECOND, isDone: true, checksum: '0' }],
      'migrations were applied with other scripts: 20260102000000_second',
    ],
    [
      'serves no older release',
      [{ ...CONTRACTING, isDone: true }],
      'migrations do not serve this release: 20260104000000_contracting',
    ],
  ])('refuses a database where a migration %s', (_how, records, words) => {
    const lines = judge([FIRST, SECOND], USE, [{ ...FIRST, isDone: true }, ...records]);
    expect(lines).toEqual([expect.stringContaining(`error migrations ${words}`)]);
  });

  it.each([
    [
      'one relayer',
      { programs: [relayer('one', '20260102000000')], leaseHolder: 'one' },
      'one is active, and no other',
    ],
    ['none', { programs: [], leaseHolder: null }, 'none is active'],
  ])('warns of %s', (_how, use, words) => {
    expect(judge([FIRST, SECOND], use)).toEqual(
      expect.arrayContaining([expect.stringContaining(`warning relayers ${words}`)]),
    );
  });

  it('warns of programs that do not report their release', () => {
    const programs = [{ label: null, text: '', user: 'causeway', sessions: 3 }];
    expect(judge([FIRST, SECOND], { ...USE, programs })).toEqual(
      expect.arrayContaining(['warning programs unknown: 3 sessions of causeway']),
    );
  });
});
