import { Page } from '../components/page.js';

export function FindPage() {
  return <Page title="Find a transfer">…</Page>;
}
