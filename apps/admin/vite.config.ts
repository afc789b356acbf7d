import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `vite` in development sends the calls of the admin API: an API process with `ADMIN_PORT`. */
const API = 'http://127.0.0.1:3400';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  // The server puts a new nonce in its place in every answer.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    // A data: URL of a script or a style is refused by the policy of the page.
    assetsInlineLimit: 0,
    // The test of the size reads which files the first view loads.
    manifest: true,
  },
  server: { proxy: { '/api/v1/admin': API } },
});
