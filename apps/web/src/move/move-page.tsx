import { Page } from '../components/page.js';

export function MovePage() {
  return <Page title="Move funds">…</Page>;
}
