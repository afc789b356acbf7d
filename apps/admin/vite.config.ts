import { isAbsolute, relative } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Where `vite` in development sends the calls of the admin API: an API process with `ADMIN_PORT`. */
const API = 'http://127.0.0.1:3400';

/** Lists the modules of the scripts beside the manifest: an image lists the libraries they come from. */
const listModules: Plugin = {
  name: 'list-modules',
  generateBundle(_, files) {
    const modules = Object.values(files).flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
    const paths = modules.filter(isAbsolute).map((path) => relative(import.meta.dirname, path));
    this.emitFile({ type: 'asset', fileName: '.vite/modules.json', source: JSON.stringify(paths.toSorted()) });
  },
};

export default defineConfig({
  plugins: [react(), tailwindcss(), listModules],
  // The server replaces it with a new nonce in every response.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    // The content security policy of the page refuses data: URLs of scripts and styles.
    assetsInlineLimit: 0,
    // size.test.ts reads from it which files the first view loads.
    manifest: true,
  },
  server: { proxy: { '/api/v1/admin': API } },
});
