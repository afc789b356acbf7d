import type { WakeUp, WakeUpListener } from '@causeway/store';
import type { Step } from '../step.ts';

/** A wake-up that a writer announces when it commits. */
export type Announced = Exclude<WakeUp, 'connected'>;

/** The connections that listen. */
export interface Announcements {
  readonly listeners: Set<(wakeUp: Announced) => void>;
}

/** Listens on behalf of a process: each wake-up arrives in a step of it, after the commit that announced it. */
export function listenInSteps(
  { listeners }: Announcements,
  step: Step,
  onWakeUp: (wakeUp: WakeUp) => void,
  onError: (error: Error) => void,
): Pick<WakeUpListener, 'stop'> {
  let isStopped = false;
  const deliver = (wakeUp: WakeUp) => {
    const arrive = () => {
      if (isStopped) return;
      // Before this step the process does not listen, and misses every announcement.
      if (wakeUp === 'connected') listeners.add(deliver);
      onWakeUp(wakeUp);
    };
    step(`listen.${wakeUp}`, arrive).catch(onError);
  };
  deliver('connected');
  return {
    stop: async () => {
      isStopped = true;
      listeners.delete(deliver);
    },
  };
}
