import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:tls';
import { Gauge, type Registry } from 'prom-client';
import { finishInTime } from './health.js';

/** Reads when a certificate expires; null if there is none. */
type CertificateReader = () => Promise<Date | null>;

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * Adds the remaining days of the certificates that a process depends on. They are read every hour; an unreadable
 * certificate keeps its last value.
 *
 * @param certificates by display name.
 */
export function watchCertificates(
  registry: Registry,
  certificates: Readonly<Record<string, CertificateReader>>,
  now: () => number = Date.now,
): void {
  const ends = new Map<string, number>();
  let readAtMs = -Infinity;
  const readAll = async () => {
    for (const [name, read] of Object.entries(certificates)) {
      const end = await finishInTime(read()).catch(() => undefined);
      if (end === null) ends.delete(name);
      else if (end !== undefined) ends.set(name, end.getTime());
    }
  };
  const gauge: Gauge = new Gauge({
    name: 'causeway_certificate_days_left',
    help: 'Days until a certificate of this process expires',
    labelNames: ['certificate'],
    registers: [registry],
    collect: async () => {
      if (now() - readAtMs >= HOUR_MS) {
        readAtMs = now();
        await readAll();
      }
      gauge.reset();
      for (const [certificate, end] of ends) gauge.set({ certificate }, (end - now()) / DAY_MS);
    },
  });
}

/** Reads the first certificate of a PEM file, which is the owner's. */
export function certificateOfFile(path: string): CertificateReader {
  return async () => new Date(new X509Certificate(await readFile(path)).validTo);
}

/** Reads the certificate of an https:// origin, valid or not; null for http://. */
export function certificateOfOrigin(origin: string): CertificateReader {
  const { protocol, hostname, port } = new URL(origin);
  return async () => {
    if (protocol !== 'https:') return null;
    const servername = /^[\d.]+$|:/.test(hostname) ? '' : hostname;
    const host = hostname.replaceAll(/[[\]]/g, '');
    const signal = AbortSignal.timeout(2_000);
    const socket = connect({ host, port: Number(port || 443), servername, rejectUnauthorized: false });
    try {
      await once(socket, 'secureConnect', { signal });
      return new Date(socket.getPeerCertificate().valid_to);
    } finally {
      socket.destroy();
    }
  };
}
