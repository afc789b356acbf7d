/** Texts of the frame and of several pages. */
export const COMMON = {
  name: 'Causeway',
  title: 'Causeway bridge',
  skip: 'Skip to content',
  pages: { move: 'Move', find: 'Find', status: 'Status' },
  notFound: { title: 'Page not found', link: 'Move funds' },
  failed: 'This page failed to load',
  address: 'address',
  transaction: 'transaction',
  settings: {
    title: 'This page is not set up',
    text: 'Its host must correct settings.json:',
  },
} as const;
