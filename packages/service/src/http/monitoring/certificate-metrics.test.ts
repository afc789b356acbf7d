import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { certificateOfFile, watchCertificates } from './certificate-metrics.js';

const DAY_MS = 86_400_000;
/** It protects nothing. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBlzCCAT6gAwIBAgIUCsijM5rgmBxEIdaKWAVVPvQeNQQwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNdGVzdCBzdHJhbmdlcjAgFw0yNjExMjIxMzUxNTdaGA8yMTI2
MTAyOTEzNTE1N1owGDEWMBQGA1UEAwwNdGVzdCBzdHJhbmdlcjBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABHKInrwQdvaCrWrRi/3hKtOQSQjlxxz59cbs9lVCSIbp
X+sWR05/RJsGw4BRa9FPV/Q7gDIG07ZVUlQscDZeafijZDBiMB0GA1UdDgQWBBT5
UpOD6NWXVxQI6KrmehsrqMDJUDAfBgNVHSMEGDAWgBT5UpOD6NWXVxQI6Krmehsr
qMDJUDAPBgNVHRMBAf8EBTADAQH/MA8GA1UdEQQIMAaHBH8AAAEwCgYIKoZIzj0E
AwIDRwAwRAIgF2yI38JqNDphBGVv621ZXw8vhnOPJABqHh3QECY3z7cCIGjxbKaX
K6VYc6KAtRFGU7sgP54I+XwPHBmZl1ap4E8i
-----END CERTIFICATE-----
`;

describe('watchCertificates', () => {
  it('counts down, reads again after an hour, and keeps an end while it cannot be read', async () => {
    const registry = new Registry();
    const clock = { nowMs: 0 };
    const found: { end: Date | null | Error } = { end: new Date(30 * DAY_MS) };
    const read = async () => {
      if (found.end instanceof Error) throw found.end;
      return found.end;
    };
    watchCertificates(registry, { database: read }, () => clock.nowMs);
    const daysLeft = async () => {
      const text = await registry.metrics();
      return /causeway_certificate_days_left\{certificate="database"\} (\S+)/.exec(text)?.[1];
    };
    expect(await daysLeft()).toBe('30');
    found.end = new Date(400 * DAY_MS);
    clock.nowMs = 3_000_000;
    expect(Number(await daysLeft())).toBeLessThan(30);
    clock.nowMs = 4_000_000;
    expect(Number(await daysLeft())).toBeGreaterThan(399);
    found.end = new Error('no answer');
    clock.nowMs = 20 * DAY_MS;
    expect(await daysLeft()).toBe('380');
    found.end = null;
    clock.nowMs = 21 * DAY_MS;
    expect(await daysLeft()).toBeUndefined();
  });
});

describe('certificateOfFile', () => {
  it('reads the end of a certificate in PEM', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'causeway-certificate-'));
    const file = join(directory, 'client.pem');
    writeFileSync(file, CERTIFICATE);
    expect((await certificateOfFile(file)())?.getUTCFullYear()).toBe(2126);
    rmSync(directory, { recursive: true });
    await expect(certificateOfFile(file)()).rejects.toThrow('ENOENT');
  });
});
