import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import starlight from '@astrojs/starlight';
import { defineConfig, passthroughImageService } from 'astro/config';
import { BASE } from './pages/routes.mjs';

const here = import.meta.dirname;

export default defineConfig({
  base: BASE,
  trailingSlash: 'always',
  publicDir: join(here, 'generated/public'),
  outDir: join(here, 'dist'),
  // Images are served as they are: resizing them needs native code.
  image: { service: passthroughImageService() },
  devToolbar: { enabled: false },
  // What several kinds of diagrams share is one file: the API counts each request of a client.
  vite: {
    build: {
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [
              { name: 'preload', test: /preload-helper|rolldown/, priority: 1 },
              { name: 'diagrams', test: /node_modules.*(?:mermaid|d3)/, minShareCount: 2 },
            ],
          },
        },
      },
    },
  },
  integrations: [
    starlight({
      title: 'Causeway',
      description: 'A bridge for ETH, USDC and XCN between Ethereum and a partner chain',
      sidebar: JSON.parse(readFileSync(join(here, 'generated/sidebar.json'), 'utf8')),
      customCss: ['./src/style.css'],
      pagination: false,
      credits: false,
    }),
    {
      name: 'diagrams',
      hooks: {
        'astro:config:setup': ({ injectScript }) => injectScript('page', "import '/src/diagrams.mjs';"),
      },
    },
  ],
});
