import { defineConfig } from 'vite';

// Bundles the program with its dependencies into small files: one for each command, plus shared ones. So a command
// loads only what it needs, and an installation needs no other package.
export default defineConfig({
  ssr: { noExternal: true },
  build: {
    ssr: 'src/main.ts',
    target: 'node20',
    minify: true,
    emptyOutDir: true,
    // The licences of the libraries inside.
    license: { fileName: 'LICENSES.md' },
    // A library asks for it and works without it.
    rolldownOptions: {
      external: ['@colors/colors/safe'],
      // Errors are known by the names of their classes.
      output: { keepNames: true },
    },
  },
});
