import { defineConfig } from 'vite';

// Packs the command, with everything that it imports, into small files: those of a command, and those that several
// share. So a command reads only what it needs, and an installation brings no other package along.
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
