import { Page } from '../components/page.js';

export function HistoryPage() {
  return <Page title="History">…</Page>;
}
