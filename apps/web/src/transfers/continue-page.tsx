import { Page } from '../components/page.js';

export function ContinuePage() {
  return <Page title="Continue a transfer">…</Page>;
}
