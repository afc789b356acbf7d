import '@causeway/ui/styles.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { loadSettings } from '../settings/settings.js';
import { Providers } from './providers.js';
import { createAppRouter } from './router.js';
import { WrongSettings } from '../components/wrong-settings.js';

const router = createAppRouter();

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

const root = document.querySelector('#root');
if (root === null) throw new Error('index.html has no element with the id root');

async function start(): Promise<ReactNode> {
  try {
    const reading = loadSettings();
    // The code of the page loads meanwhile.
    void router.load();
    const settings = await reading;
    return (
      <Providers settings={settings}>
        <RouterProvider router={router} />
      </Providers>
    );
  } catch (error) {
    return <WrongSettings error={error} />;
  }
}

createRoot(root).render(<StrictMode>{await start()}</StrictMode>);
