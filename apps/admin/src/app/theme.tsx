import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../components/button.js';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

function storedTheme(): Theme {
  const stored = localStorage.getItem('theme');
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Applies a theme and stores it; `system` follows the system again. index.html applies it before the first paint. */
function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem('theme');
    delete document.documentElement.dataset['theme'];
  } else {
    localStorage.setItem('theme', theme);
    document.documentElement.dataset['theme'] = theme;
  }
}

/** The theme, and how to go on to the next one. */
function useTheme(): readonly [theme: Theme, next: () => void] {
  const [theme, setTheme] = useState(storedTheme);
  const next = () => {
    const following = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
    applyTheme(following);
    setTheme(following);
  };
  return [theme, next];
}

/** A button that goes through system, light and dark. */
export function ThemeButton() {
  const [theme, next] = useTheme();
  const Icon = ICONS[theme];
  return (
    <IconButton label={`Theme: ${theme}. Change`} onPress={next}>
      <Icon aria-hidden className="size-4.5" />
    </IconButton>
  );
}
