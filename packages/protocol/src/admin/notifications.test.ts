import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { NOTIFICATIONS, type NotificationRule } from './notifications.js';

const read = (page: string) => readFileSync(new URL(`../../../../docs/${page}`, import.meta.url), 'utf8');

describe('the list of notifications', () => {
  it.each<[string, NotificationRule]>(Object.entries(NOTIFICATIONS))(
    'has %s in the runbook and in the table of the operators',
    (code, { severity, begins, ends }) => {
      expect(read('runbook.md')).toContain(`\n## ${code}\n`);
      const row = [
        `[\`${code}\`](../runbook.md#${code.toLowerCase()})`,
        severity,
        begins,
        ends ?? 'never: it is an event',
      ];
      const rows = read('operate/run.md').replaceAll(/ +\|/g, ' |');
      expect(rows).toContain(`| ${row.join(' | ')} |`);
    },
  );
});
