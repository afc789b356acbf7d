/** A request of a test wallet to its user. */
export interface Confirmation {
  readonly wallet: string;
  readonly what: 'sign' | 'send';
  /** Names and values to show. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly answer: (isApproved: boolean) => void;
}

let waiting: readonly Confirmation[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Confirmation[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Shows a question, and waits for its answer. */
export async function confirm(question: Omit<Confirmation, 'answer'>): Promise<boolean> {
  return new Promise((resolve) => {
    const asked: Confirmation = {
      ...question,
      answer: (isApproved) => {
        change(waiting.filter((each) => each !== asked));
        resolve(isApproved);
      },
    };
    change([...waiting, asked]);
  });
}

/** Returns the oldest open question. For `useSyncExternalStore`. */
export function readConfirmation(): Confirmation | null {
  return waiting[0] ?? null;
}

export function watchConfirmation(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
