import { isAbsolute, join, relative } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Where `vite` in development sends calls of the API and finds the settings: a running stack. */
const STACK = 'http://127.0.0.1:3000';

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
  build: {
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    // The content security policy of the page refuses data: URLs of scripts and styles.
    assetsInlineLimit: 0,
    // size.test.ts reads from it which files a first view loads.
    manifest: true,
    // Two documents: only the second one may contact nodes that its reader names.
    rolldownOptions: { input: ['index.html', 'check.html'].map((file) => join(import.meta.dirname, file)) },
  },
  server: { proxy: { '/api/v1': STACK, '/settings.json': STACK } },
});
