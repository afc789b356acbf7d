import { formatAmount } from '@causeway/protocol';
import { finishInTime } from '@causeway/service/http';
import type { Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import { isHash, type Hex } from 'viem';
import { STORE } from '../infrastructure.js';
import { StaticFile } from '../server/static-files.js';
import { WEB_PAGE, type WebPage } from './web-page.js';

/** How long the page waits for its preview. */
const PATIENCE_MS = 500;

/** Adds a transfer's title, amount and status to the page, for programs that show a preview of a link. */
@Injectable()
export class PreviewService {
  constructor(
    @Inject(WEB_PAGE) private readonly web: Pick<WebPage, 'page' | 'names'>,
    @Inject(STORE) private readonly store: { readonly operations: Pick<Store['operations'], 'findByIdOrOriginTx'> },
  ) {}

  /**
   * Returns the page of a transfer, found by depositId, withdrawId, intentId or origin transaction.
   *
   * @returns the plain page when the transfer is unknown, or the database fails or takes too long: the page shows why.
   */
  async readPage(id: string): Promise<StaticFile> {
    const { page, names } = this.web;
    if (!isHash(id)) return page;
    const reading = this.store.operations.findByIdOrOriginTx(id.toLowerCase() as Hex);
    const operation = await finishInTime(reading, PATIENCE_MS).catch(() => null);
    if (operation === null) return page;
    return new StaticFile(page.type, Buffer.from(addPreview(page.plain.toString(), operation, names)), false);
  }
}

/** Replaces the title of a document, and adds the description of a transfer to its head. */
function addPreview(
  html: string,
  { asset, amount, direction, status }: Pick<Operation, 'asset' | 'amount' | 'direction' | 'status'>,
  { ethereum, partner }: WebPage['names'],
): string {
  const [from, to] = direction === 'ETHEREUM_TO_PARTNER' ? [ethereum, partner] : [partner, ethereum];
  const word = status.toLowerCase().replaceAll('_', ' ');
  const title = escape(`${formatAmount(asset, amount)} ${asset} to ${to}: ${word}`);
  const description = escape(
    `A transfer of ${formatAmount(asset, amount)} ${asset} from ${from} to ${to}. Status: ${word}.`,
  );
  const tags = [
    `<title>${title}</title>`,
    `<meta property="og:title" content="${title}" />`,
    `<meta property="og:description" content="${description}" />`,
  ].join('');
  // A function, because a replacement string would interpret $.
  return html.replace(/<title>[^<]*<\/title>/, () => tags);
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
