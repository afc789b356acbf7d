import { createContext, useContext } from 'react';
import type { Settings } from './settings.js';

/** The host's settings, for the components below. */
export const SettingsContext = createContext<Settings | null>(null);

/** Returns the host's settings. */
export function useSettings(): Settings {
  const settings = useContext(SettingsContext);
  if (settings === null) throw new Error('There are no settings above this component');
  return settings;
}
