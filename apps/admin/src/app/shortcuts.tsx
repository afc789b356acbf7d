import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Dialog } from '@causeway/ui/components';
import { PAGES } from './pages.js';

/** Maximum time between `g` and the second key. */
const SEQUENCE_MS = 1_500;

/** Functions that open the views of the keys. */
interface Shortcuts {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}

/** Returns whether the target is a field that a person types in. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Listens for the keys of the console: Ctrl/Cmd-K, `?`, and `g` followed by the letter of a page. */
export function useShortcuts({ onPalette, onHelp }: Shortcuts): void {
  const navigate = useNavigate();
  const goAt = useRef(0);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        onPalette();
        return;
      }
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      const isInDialog = document.querySelector('[role="dialog"]') !== null;
      if (!isPlain || isInDialog || isTyping(event.target)) return;
      if (event.key === '?') onHelp();
      if (event.key === 'g') {
        goAt.current = event.timeStamp;
        return;
      }
      const page = PAGES.find(({ key }) => key === event.key);
      if (page !== undefined && goAt.current > 0 && event.timeStamp - goAt.current < SEQUENCE_MS)
        void navigate({ to: page.to });
      goAt.current = 0;
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [navigate, onPalette, onHelp]);
}

function Keys({ keys }: { readonly keys: readonly string[] }) {
  return (
    <span className="flex gap-1">
      {keys.map((key) => (
        <kbd key={key} className="min-w-6 rounded border border-line bg-sunken px-1.5 py-0.5 text-center text-xs">
          {key}
        </kbd>
      ))}
    </span>
  );
}

const GENERAL: readonly (readonly [words: string, keys: readonly string[]])[] = [
  ['Command palette', ['Ctrl/⌘', 'K']],
  ['This list', ['?']],
  ['Next and previous row of a table', ['↓', '↑']],
  ['Close a dialog', ['Esc']],
];

/** The list of all shortcuts. */
export function ShortcutList({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const rows = [...GENERAL, ...PAGES.map(({ title, key }) => [title, ['g', key]] as const)];
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <dl className="grid gap-x-8 gap-y-2 sm:grid-cols-2">
        {rows.map(([words, keys]) => (
          <div key={words} className="flex items-center justify-between gap-4">
            <dt>{words}</dt>
            <dd>
              <Keys keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
