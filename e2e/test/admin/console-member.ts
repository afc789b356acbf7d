import { injectWallet, openPage, waitUntil, type InjectedWallet, type WatchedPage } from '@causeway/test-kit';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { TestEnvironment } from '../temporary-environment.js';

type Browser = Parameters<typeof openPage>[0];
type Account = TestEnvironment['accounts']['deployer'];

/** Timeout for a step of the bridge that a page waits for. */
const PATIENCE = { timeout: 60_000 };
const DONE = /^Done: /;
const CONFIRM = /^(Submit request|Sign and submit)$/;
const ENDED =
  /^(Done: |The relayer refused the request\.|The request expired\.|The request was not|The state has changed|.*another member must)/;

/** A person with a browser and two wallets, on the console of an environment. */
export class ConsoleMember {
  private constructor(
    private readonly watched: WatchedPage,
    /** A wallet whose account is not on the allow-list. */
    private readonly stranger: InjectedWallet,
  ) {}

  /** Opens the console with two wallets in the browser, and signs in with the first. */
  static async signIn({ stack }: TestEnvironment, browser: Browser, account: Account): Promise<ConsoleMember> {
    const watched = await openPage(browser, { baseURL: stack.consoleUrl, viewport: { width: 1_440, height: 900 } });
    const chains = {
      [stack.partner.chainId]: stack.partner.rpcUrl,
      [stack.ethereum.chainId]: stack.ethereum.rpcUrl,
    };
    const inject = async (name: string, key: Hex) =>
      injectWallet(watched.context, name, privateKeyToAccount(key), chains);
    const own = await inject('Own wallet', account.privateKey);
    const member = new ConsoleMember(watched, await inject('Other wallet', stack.accounts.bob.privateKey));
    await member.open('/');
    await member.press(own.name);
    await member.sees('Overview');
    return member;
  }

  get page(): WatchedPage['page'] {
    return this.watched.page;
  }

  private get dialog() {
    return this.page.getByRole('dialog');
  }

  /** Signs out, and tries to sign in with the other wallet. */
  async returnAsStranger(): Promise<void> {
    await this.page.getByRole('button', { name: 'Account' }).click();
    await this.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await this.sees('Sign in to the console');
    await this.press(this.stranger.name);
  }

  async open(path: string): Promise<void> {
    await this.page.goto(path);
  }

  /** Waits for the page with this title. */
  async sees(title: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor(PATIENCE);
  }

  /** Waits until the page shows a sentence, or a part of one. */
  async reads(text: string): Promise<void> {
    await this.page.getByText(text).first().waitFor(PATIENCE);
  }

  /** Waits until the page shows this label. */
  async isLabelled(word: string): Promise<void> {
    await this.page.getByText(word, { exact: true }).first().waitFor(PATIENCE);
  }

  /** Waits until the page stops showing this label. */
  async isNotLabelled(word: string): Promise<void> {
    await this.page
      .getByText(word, { exact: true })
      .first()
      .waitFor({ ...PATIENCE, state: 'detached' });
  }

  /** Waits until the page has loaded. */
  async isLoaded(): Promise<void> {
    await this.page.getByRole('heading', { level: 1 }).waitFor(PATIENCE);
    await this.page
      .getByText('Loading')
      .first()
      .waitFor({ state: 'detached', ...PATIENCE });
    await this.page.getByText('Live', { exact: true }).waitFor(PATIENCE);
  }

  async press(button: string): Promise<void> {
    await this.page.getByRole('button', { name: button, exact: true }).first().click(PATIENCE);
  }

  /** Finds the one operation of a transaction, and opens it. */
  async find(hash: Hex): Promise<void> {
    await this.open('/operations');
    await this.page.getByRole('searchbox').first().fill(hash);
    await this.page.keyboard.press('Enter');
    await this.page.waitForURL(/search=/);
    const rows = this.page.locator('tr[data-index]');
    await waitUntil('the search found one operation', async () => (await rows.count()) === 1);
    await rows.getByRole('link').first().click();
    await this.sees('Operation');
  }

  /** Opens the dialog of a request, enters a reason, and waits for the review. */
  async prepare(button: string): Promise<void> {
    await this.press(button);
    await this.dialog.getByLabel('Reason').fill('a test of the console');
    await this.dialog.getByRole('button', { name: 'Continue' }).click();
    await this.dialog.getByRole('button', { name: CONFIRM }).waitFor(PATIENCE);
  }

  /** Confirms the prepared request. Returns the dialog's text once the request has ended or needs another member. */
  async confirm(): Promise<string> {
    await this.dialog.getByRole('button', { name: CONFIRM }).click();
    await this.dialog.getByText(ENDED).first().waitFor(PATIENCE);
    const said = await this.dialog.innerText();
    await this.closeDialog();
    return said;
  }

  /** Makes a request through the dialog of a button. Returns the dialog's final text. */
  async ask(button: string): Promise<string> {
    await this.prepare(button);
    return this.confirm();
  }

  /** Signs another member's newest request, and waits until the relayer has carried it out. */
  async approveNewest(): Promise<void> {
    await this.open('/approvals');
    await this.page.locator('tr[data-index]').getByRole('link').first().click(PATIENCE);
    await this.press('Approve');
    await this.dialog.getByRole('button', { name: 'Sign the approval' }).click();
    await this.dialog.getByText(DONE).waitFor(PATIENCE);
    await this.closeDialog();
  }

  /**
   * Prepares a contract call in the open form, lets the wallet sign each transaction, and waits until all are mined.
   * Returns the page's text before the signatures.
   *
   * @param options by the names of the command line.
   */
  async callContracts(command: string, options: Readonly<Record<string, string>>): Promise<string> {
    await this.choose('Call', toWords(command));
    for (const [name, value] of Object.entries(options)) {
      const field = this.dialog.getByRole('textbox', { name: toWords(name) });
      if ((await field.count()) > 0) await field.first().fill(value);
      else await this.choose(toWords(name), toWords(value));
    }
    await this.dialog.getByLabel('Reason').fill('a test of the console');
    await this.dialog.getByRole('button', { name: 'Simulate' }).click();
    const buttons = this.dialog.getByRole('button', { name: 'Sign with wallet' });
    await buttons.first().waitFor(PATIENCE);
    const shown = await this.dialog.innerText();
    const mined = this.dialog.getByText(/^Mined\. The page updates/);
    for (let index = 0; index < (await buttons.count()); index++) {
      await buttons.nth(index).click();
      await mined.nth(index).waitFor(PATIENCE);
    }
    await this.closeDialog();
    return shown;
  }

  /**
   * Closes the browser's pages.
   *
   * @throws Error with their violated policies, uncaught errors, and requests to other origins.
   */
  async leave(): Promise<void> {
    if (this.watched.problems.length > 0) throw new Error(this.watched.problems.join('\n'));
    await this.watched.context.close();
  }

  /** Chooses an option of a select in the open dialog, by the beginning of its label. */
  private async choose(label: string, option: string): Promise<void> {
    const select = this.dialog.getByRole('combobox', { name: new RegExp(`^${label}`) });
    await select.first().selectOption({ label: option }, PATIENCE);
  }

  private async closeDialog(): Promise<void> {
    await this.dialog.getByRole('button', { name: 'Close' }).last().click();
    await this.dialog.waitFor({ state: 'detached' });
  }
}

/** Converts a name of the command line to the console's words: set-fee-ceiling becomes "Set fee ceiling". */
function toWords(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
