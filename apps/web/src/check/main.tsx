import '@causeway/ui/styles.css';
import { ThemeButton } from '@causeway/ui/components';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { WrongSettings } from '../components/wrong-settings.js';
import { loadSettings } from '../settings/settings.js';
import { COMMON } from '../words/common.js';
import { CheckPage } from './check-page.js';

const root = document.querySelector('#root');
if (root === null) throw new Error('check.html has no element with the id root');

async function start(): Promise<ReactNode> {
  try {
    const settings = await loadSettings();
    return (
      <div className="min-h-dvh">
        <header className="border-b border-line bg-surface">
          <div className="mx-auto flex h-14 max-w-5xl items-center justify-between gap-4 px-3 sm:px-6">
            <a href="/find" className="flex items-center gap-2 font-semibold">
              <img src="/icon.svg" alt="" className="size-6" />
              {COMMON.name}
            </a>
            <ThemeButton />
          </div>
        </header>
        <main>
          <CheckPage settings={settings} />
        </main>
      </div>
    );
  } catch (error) {
    return <WrongSettings error={error} />;
  }
}

createRoot(root).render(<StrictMode>{await start()}</StrictMode>);
