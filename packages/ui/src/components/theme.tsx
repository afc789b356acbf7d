import { Monitor, Moon, Sun } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { iconButtonClass } from './button-class.js';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

/** The page applies the stored theme before the first paint. */
function readTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Applies and stores a theme; `system` follows the system. */
function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  try {
    if (theme === 'system') localStorage.removeItem('theme');
    else localStorage.setItem('theme', theme);
  } catch {
    // The user blocks the storage: the theme lasts until a reload.
  }
}

const listeners = new Set<() => void>();

/** Switches to the next theme. */
export function nextTheme(): void {
  applyTheme(THEMES[(THEMES.indexOf(readTheme()) + 1) % THEMES.length] ?? 'system');
  for (const listener of listeners) listener();
}

function watchTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A button that cycles through system, light and dark. */
export function ThemeButton() {
  const theme = useSyncExternalStore(watchTheme, readTheme);
  const Icon = ICONS[theme];
  return (
    // Without React Aria, so that a page that only shows data loads none of it.
    <button type="button" aria-label={`Theme: ${theme}. Change`} onClick={nextTheme} className={iconButtonClass}>
      <Icon aria-hidden className="size-4.5" />
    </button>
  );
}
