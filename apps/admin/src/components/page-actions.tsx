import { Download } from 'lucide-react';
import { useEffect, useMemo, useSyncExternalStore, type ReactNode } from 'react';
import { buttonClass } from '@causeway/ui/components';

/** An action of the open page in the command palette. */
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

/** Returns the actions of the open page. */
export function useRegisteredActions(): readonly PageAction[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => snapshot,
  );
}

/** Downloads a file as if its link were clicked. */
export function download(url: string, name = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}

/** A download link, which is also an action in the command palette. */
export function DownloadLink({ url, action, children }: DownloadLinkProps) {
  usePageActions(useMemo(() => [{ title: action, run: () => download(url) }], [action, url]));
  return (
    <a href={url} download className={buttonClass()}>
      <Download aria-hidden className="size-4" />
      {children}
    </a>
  );
}

interface DownloadLinkProps {
  readonly url: string;
  /** Name of the action in the command palette. */
  readonly action: string;
  readonly children: ReactNode;
}
