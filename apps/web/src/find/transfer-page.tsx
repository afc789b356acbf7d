import { Page } from '../components/page.js';

export function TransferPage() {
  return <Page title="Transfer">…</Page>;
}
