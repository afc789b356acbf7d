import { isAbsolute, join, relative } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Where `vite` in development sends calls of the API and finds the settings: a running stack. */
const STACK = 'http://127.0.0.1:3000';

/** Lists the modules of the scripts beside the manifest: an image lists the libraries they come from. */
const listModules = (fileName: string): Plugin => ({
  name: 'list-modules',
  generateBundle(_, files) {
    const modules = Object.values(files).flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
    const paths = modules.filter(isAbsolute).map((path) => relative(import.meta.dirname, path));
    this.emitFile({ type: 'asset', fileName, source: JSON.stringify(paths.toSorted()) });
  },
});

// Two documents, each built for itself. Only check.html, of `--mode check`, contacts nodes that its reader names.
export default defineConfig(({ mode }) => {
  const isCheck = mode === 'check';
  const lists = isCheck ? '.vite/check' : '.vite';
  return {
    plugins: [react(), tailwindcss(), listModules(`${lists}/modules.json`)],
    build: {
      target: ['chrome123', 'firefox120', 'safari17.5'],
      modulePreload: { polyfill: false },
      emptyOutDir: !isCheck,
      // The content security policy of the page refuses data: URLs of scripts and styles.
      assetsInlineLimit: 0,
      // size.test.ts reads from it which files a first view loads.
      manifest: `${lists}/manifest.json`,
      rolldownOptions: {
        input: join(import.meta.dirname, isCheck ? 'check.html' : 'index.html'),
        // One file for what every page needs, since a phone waits for each file.
        output: {
          codeSplitting: { groups: [{ name: 'frame', tags: ['$initial'], test: (id) => !/main.tsx|.html$/.test(id) }] },
        },
      },
    },
    server: { proxy: { '/api/v1': STACK, '/settings.json': STACK } },
  };
});
