import {
  injectWallet,
  openPage,
  waitUntil,
  type InjectedWallet,
  type WalletKind,
  type WatchedPage,
} from '@causeway/test-kit';
import type { Address, PrivateKeyAccount } from 'viem';
import type { TestEnvironment } from '../temporary-environment.js';

export type Browser = Parameters<typeof openPage>[0];

/** Timeout for a step of the bridge that a page waits for. */
const PATIENCE = { timeout: 90_000 };
const WALLET = 'Own wallet';
/** The button that opens the wallet says what it signs. */
const BEGIN = /^(Deposit|Sign the|Approve|Withdraw) /;

/** A transfer that a person wants to make. */
export interface Wish {
  readonly asset: string;
  readonly to: 'ethereum' | 'partner';
  /** A plain decimal. */
  readonly amount: string;
  /** Empty for the own address. */
  readonly recipient: Address | '';
}

/** A person with a browser and a wallet, on the page of an environment. */
export class Visitor {
  private constructor(
    private readonly browser: Browser,
    private readonly origin: string,
    private watched: WatchedPage,
    readonly wallet: InjectedWallet,
    /** The nodes that the page may call. */
    private readonly nodes: readonly string[],
  ) {}

  /** @param origin where the page is served. Default: the API. */
  static async arrive(
    { stack }: TestEnvironment,
    browser: Browser,
    account: PrivateKeyAccount,
    { origin = stack.webUrl ?? '', ...kind }: WalletKind & { readonly origin?: string } = {},
  ): Promise<Visitor> {
    const watched = await openContext(browser, origin);
    const chains = {
      [stack.ethereum.chainId]: stack.ethereum.rpcUrl,
      [stack.partner.chainId]: stack.partner.rpcUrl,
    };
    const wallet = await injectWallet(watched.context, WALLET, account, chains, kind);
    return new Visitor(browser, origin, watched, wallet, Object.values(chains));
  }

  get page(): WatchedPage['page'] {
    return this.watched.page;
  }

  /**
   * Opens the form with a transfer, connects the wallet, confirms the recipient, and chooses the network.
   *
   * @param byIntent withdraws XCN by sign, send, report.
   */
  async wish({ asset, to, amount, recipient }: Wish, byIntent = false): Promise<void> {
    const link = { asset, to, amount, ...(recipient === '' ? {} : { recipient }) };
    await this.page.goto(`/?${new URLSearchParams(link).toString()}`);
    await this.connect();
    if (recipient !== '') await this.press('Yes, send to this address');
    if (byIntent) await this.page.getByLabel('Way').selectOption('intent');
    await waitUntil(
      'the form is ready',
      async () => {
        await this.changeNetworkIfAsked();
        // The test may have left.
        return this.page.isClosed() || this.page.getByRole('button', { name: BEGIN }).first().isVisible();
      },
      { timeoutMs: PATIENCE.timeout },
    );
  }

  /** Connects the wallet. */
  async connect(): Promise<void> {
    await this.press('Connect a wallet');
    await this.page.getByRole('dialog').getByRole('button', { name: WALLET }).click();
  }

  /** Presses the button that switches the wallet's network, if there is one. */
  async changeNetworkIfAsked(): Promise<void> {
    await this.pressIfOffered(/^Switch to /);
  }

  /** Presses the button that opens the wallet. */
  async begin(): Promise<void> {
    await this.press(BEGIN);
  }

  /** Waits until the page shows that the transfer is completed. */
  async isCompleted(): Promise<void> {
    await this.page.getByText('Completed', { exact: true }).first().waitFor(PATIENCE);
  }

  async press(name: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name }).first().click(PATIENCE);
  }

  /** Presses a button if the page offers it. Returns whether it did. */
  async pressIfOffered(name: string | RegExp): Promise<boolean> {
    const button = this.page.getByRole('button', { name, disabled: false }).first();
    if (!(await button.isVisible().catch(() => false))) return false;
    return button.click({ timeout: 1_000 }).then(
      () => true,
      () => false,
    );
  }

  /** Waits until the page shows a text. */
  async reads(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor(PATIENCE);
  }

  /** Waits until the wallet shows a request. */
  async isAsked(): Promise<void> {
    await waitUntil('the wallet opens a window', async () => this.wallet.windows.length > 0);
  }

  /** How often the wallet was asked to sign or send. */
  get windows(): number {
    return this.wallet.typedData.length + this.wallet.transactions.length;
  }

  /** Closes the browser without warning, and opens another one of the same person. */
  async moveToAnotherBrowser(): Promise<void> {
    await this.watched.context.close();
    this.watched = await openContext(this.browser, this.origin);
    await this.wallet.injectInto(this.watched.context);
  }

  /** Closes the tab without warning, and opens another one in the same browser. */
  async reopenTab(): Promise<void> {
    const { context, problems } = this.watched;
    await this.page.close();
    this.watched = { context, problems, page: await context.newPage() };
  }

  /** Leaves, and expects that no policy was violated. */
  async leave(): Promise<void> {
    const { context, problems } = this.watched;
    await context.close();
    const calls = new Set(this.nodes.map((node) => `request to another origin: ${new URL(node).origin}/`));
    const others = problems.filter((problem) => !calls.has(problem));
    if (others.length > 0) throw new Error(others.join('\n'));
  }
}

async function openContext(browser: Browser, origin: string): Promise<WatchedPage> {
  const watched = await openPage(browser, {
    reducedMotion: 'reduce',
    baseURL: origin,
    viewport: { width: 1_000, height: 900 },
  });
  await watched.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  watched.context.setDefaultTimeout(PATIENCE.timeout);
  return watched;
}
