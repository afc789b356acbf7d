import '@causeway/ui/styles.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

const root = document.querySelector('#root');
if (root === null) throw new Error('check.html has no element with the id root');
createRoot(root).render(
  <StrictMode>
    <h1>Check a transfer</h1>
  </StrictMode>,
);
