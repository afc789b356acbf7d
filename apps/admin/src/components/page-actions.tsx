import { useEffect, useSyncExternalStore } from 'react';

/** An action of the page that is open, as the command palette offers it. */
export interface PageAction {
  readonly title: string;
  readonly run: () => void;
}

const registered = new Map<symbol, readonly PageAction[]>();
const listeners = new Set<() => void>();
let snapshot: readonly PageAction[] = [];

function changed(): void {
  snapshot = [...registered.values()].flat();
  for (const listener of listeners) listener();
}

/** Offers actions in the command palette while the component is shown. */
export function usePageActions(actions: readonly PageAction[]): void {
  useEffect(() => {
    const key = Symbol('page');
    registered.set(key, actions);
    changed();
    return () => {
      registered.delete(key);
      changed();
    };
  }, [actions]);
}

/** The actions of the page that is open. */
export function useRegisteredActions(): readonly PageAction[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => snapshot,
  );
}
