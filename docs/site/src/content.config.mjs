import { docsSchema } from '@astrojs/starlight/schema';
import { glob } from 'astro/loaders';
import { defineCollection } from 'astro:content';

/** The pages that pages/write.mjs makes. An id is the page's address, also where it has capitals or dots. */
export const collections = {
  docs: defineCollection({
    loader: glob({ base: './generated/content', pattern: '**/*.md', generateId: ({ entry }) => entry.slice(0, -3) }),
    schema: docsSchema(),
  }),
};
