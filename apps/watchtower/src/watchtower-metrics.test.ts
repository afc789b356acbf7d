import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { WatchtowerMetrics } from './watchtower-metrics.js';

describe('the metrics', () => {
  it.each(['alerts.yml', 'dashboards/watchtower.json'])('are all that deploy/%s names', async (file) => {
    const text = readFileSync(new URL(`../../../deploy/${file}`, import.meta.url), 'utf8');
    const existing = await new WatchtowerMetrics().registry.metrics();
    const used = new Set(text.match(/causeway_watchtower_\w+/g));
    expect(used.size).toBeGreaterThan(5);
    for (const name of used) expect(existing).toContain(`# TYPE ${name} `);
  });
});
