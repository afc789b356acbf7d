import { Page } from '../components/page.js';

export function StatusPage() {
  return <Page title="Status">…</Page>;
}
