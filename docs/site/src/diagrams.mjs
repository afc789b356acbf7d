// Draws the diagrams of a page. Pages without one do not load the library.
const diagrams = document.querySelectorAll('pre.mermaid');
if (diagrams.length > 0) {
  const { default: mermaid } = await import('mermaid');
  const isDark = document.documentElement.dataset.theme === 'dark';
  mermaid.initialize({ startOnLoad: false, theme: isDark ? 'dark' : 'neutral' });
  await mermaid.run({ nodes: diagrams });
}
