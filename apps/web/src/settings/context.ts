import type { Bridge } from '@causeway/sdk';
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

/** The bridge of the settings, for reads that have no hook in @causeway/react. */
export const BridgeContext = createContext<Bridge | null>(null);

/** Returns the bridge of the settings. */
export function useBridge(): Bridge {
  const bridge = useContext(BridgeContext);
  if (bridge === null) throw new Error('There is no bridge above this component');
  return bridge;
}
