import { collectOnlyWhenNeeded } from './collect-only-when-needed.js';

// Before anything else is loaded: V8 makes up its mind while it is.
collectOnlyWhenNeeded();
await import('./run.js');
