import { Page } from '../components/page.js';

export function RefundPage() {
  return <Page title="Refund">…</Page>;
}
