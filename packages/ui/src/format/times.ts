const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/**
 * Formats a duration in its largest units, such as `2 h 5 min`. Less than a second is `0 s`.
 *
 * @param units maximum number of units.
 */
export function formatDuration(seconds: number, units = 2): string {
  const total = Math.max(0, Math.floor(seconds));
  const first = UNITS.findIndex(([, size]) => total >= size);
  if (first === -1) return '0 s';
  let rest = total;
  const parts: string[] = [];
  for (const [name, size] of UNITS.slice(first, first + units)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(' ');
}

/** Formats the distance of a time from now in one unit: `3 min ago`, `in 2 h`, `now`. */
export function formatRelative(atMs: number, nowMs: number): string {
  const seconds = (nowMs - atMs) / 1_000;
  if (Math.abs(seconds) < 1) return 'now';
  return seconds > 0 ? `${formatDuration(seconds, 1)} ago` : `in ${formatDuration(-seconds, 1)}`;
}

/** Formats the remaining time until a moment as `mm:ss` or `h:mm:ss`; `00:00` after it. */
export function formatCountdown(untilMs: number, nowMs: number): string {
  const total = Math.max(0, Math.ceil((untilMs - nowMs) / 1_000));
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(total / 3_600);
  const clock = `${two(Math.floor((total % 3_600) / 60))}:${two(total % 60)}`;
  return hours > 0 ? `${hours}:${clock}` : clock;
}

const two = (value: number) => String(value).padStart(2, '0');

const zones = new Intl.DateTimeFormat('en', { timeZoneName: 'short' });

/** Formats a time in the reader's time zone: `2026-11-23 14:05:09 GMT+1`. */
export function formatLocal(at: Date): string {
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const zone = zones.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())} ${zone}`;
}

/** Formats a time in UTC: `2026-11-23 13:05:09 UTC`. */
export function formatUtc(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
