import { getAddress } from 'viem/utils';

/** How long the message is valid. The API accepts at most 10 minutes. */
const VALID_MS = 5 * 60_000;

/** The statements of a Sign-In with Ethereum message. */
export interface SignInTerms {
  /** The origin of the page, such as `https://console.example`. */
  readonly origin: string;
  readonly address: string;
  readonly chainId: number;
  readonly nonce: string;
  readonly nowMs: number;
}

/** Returns the text for the wallet to sign (EIP-4361), with the address in EIP-55 checksum form. */
export function signInMessage({ origin, address, chainId, nonce, nowMs }: SignInTerms): string {
  return [
    `${new URL(origin).host} wants you to sign in with your Ethereum account:`,
    getAddress(address),
    '',
    'Sign in to the Causeway console. This moves nothing and costs nothing.',
    '',
    `URI: ${origin}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(nowMs).toISOString()}`,
    `Expiration Time: ${new Date(nowMs + VALID_MS).toISOString()}`,
  ].join('\n');
}

/** Returns the page to open after sign-in: only a path of this console, never another site. */
export function safeNext(next: string | undefined): string {
  if (next === undefined || !next.startsWith('/')) return '/';
  // Browsers interpret `//host` and `/\host` as another site.
  const url = new URL(next, 'https://console.invalid');
  return url.host === 'console.invalid' ? `${url.pathname}${url.search}${url.hash}` : '/';
}
