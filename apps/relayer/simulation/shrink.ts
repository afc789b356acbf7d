import type { Schedule } from './environment/schedule.ts';

/**
 * Finds a shorter schedule that still fails, by leaving out halves, then quarters, down to single happenings, as long
 * as that helps (delta debugging).
 *
 * @param fails runs a schedule and returns whether it fails in the same way.
 */
export async function shrink(schedule: Schedule, fails: (shorter: Schedule) => Promise<boolean>): Promise<Schedule> {
  let { happenings } = schedule;
  let parts = 2;
  while (happenings.length > 1) {
    const size = Math.ceil(happenings.length / parts);
    let isShorter = false;
    for (let start = 0; start < happenings.length; start += size) {
      const rest = [...happenings.slice(0, start), ...happenings.slice(start + size)];
      if (!(await fails({ ...schedule, happenings: rest }))) continue;
      happenings = rest;
      isShorter = true;
      break;
    }
    if (isShorter) parts = Math.max(2, parts - 1);
    else if (size === 1) break;
    else parts = Math.min(happenings.length, parts * 2);
  }
  return { ...schedule, happenings };
}
