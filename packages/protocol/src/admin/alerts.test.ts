import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { AlertRule } from './alert-rule.js';
import { ALERTS, getRunbook, type AlertCode } from './alerts.js';

const CODES = Object.keys(ALERTS) as AlertCode[];

describe('the list of alerts', () => {
  it('has a heading of the runbook for each, and the link leads there', () => {
    const text = readFileSync(new URL('../../../../docs/runbook.md', import.meta.url), 'utf8');
    const headings = new Set([...text.matchAll(/^#+ `?(\w+)`?$/gm)].map(([, heading = '']) => heading.toLowerCase()));
    for (const code of CODES) expect(headings).toContain(getRunbook(code).replace('docs/runbook.md#', ''));
  });

  it('states each threshold in the expression of Prometheus, too', () => {
    for (const code of CODES) {
      const { threshold, prometheus }: AlertRule = ALERTS[code];
      if (threshold === undefined || prometheus === undefined) continue;
      for (const value of Object.values(threshold))
        expect(`${code}: ${prometheus.expression.join(' ')}`).toMatch(new RegExp(String.raw`[<>] ${value}\b`));
    }
  });

  it('calls the float low at three days', () => {
    expect(ALERTS.FloatLow).toMatchObject({ severity: 'warning', threshold: { days: 3 } });
  });
});
