import type { ReactNode } from 'react';
import { CopyButton, Notice } from '@causeway/ui/components';

/** Runs the relayer's commands from the built repository. */
const RELAYER = 'npx pnpm@12.21.0 exec node apps/relayer/dist/bundle/main.js';
/** Runs the role holders' commands from the repository. */
export const ADMIN = 'npx pnpm@12.21.0 admin';

/** Commands that replace the console's requests and contract calls. */
const COMMANDS: readonly (readonly [command: string, effect: string])[] = [
  [`${RELAYER} halts`, 'lists the halts'],
  [`${RELAYER} retry <operationId>`, 'retries a delayed operation'],
  [`${RELAYER} halt deliveries '<reason>'`, 'halts deliveries'],
  [`${RELAYER} refund approve <refundId>`, 'approves a refund with the key in OPERATOR_KEYSTORE'],
  [`${ADMIN} pause --direction both --send`, 'pauses both directions, as a pauser or the guardian'],
  [`${ADMIN} --help`, 'lists the other contract calls'],
];

/** A command with a copy button. */
export function CommandLine({ command, children }: { readonly command: string; readonly children?: ReactNode }) {
  return (
    <span className="flex min-w-0 items-start gap-1.5">
      <span className="min-w-0">
        <code className="text-xs wrap-anywhere">{command}</code>
        {children === undefined ? null : <span className="block text-xs text-muted">{children}</span>}
      </span>
      <CopyButton text={command} label="command" />
    </span>
  );
}

/**
 * Explains that no wallet was found, and shows commands to use instead.
 *
 * @param command the command with the same effect as the page's wallet action.
 */
export function NoWallet({ command }: { readonly command?: string | undefined }) {
  const commands =
    command === undefined ? COMMANDS : ([[command, 'signs and sends the call with a key file']] as const);
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="warn" title="The console found no wallet in this browser.">
        The console needs a wallet extension with support for EIP-6963, such as MetaMask or Rabby. Install or unlock it,
        choose the account with your role, then reload the page.
      </Notice>
      <section aria-label="Commands that do the same" className="rounded-lg bg-sunken p-3">
        <p className="mb-2 text-xs font-medium text-muted">
          Without a wallet, run the command on an operator's machine:
        </p>
        <ul className="flex flex-col gap-2.5">
          {commands.map(([line, effect]) => (
            <li key={line}>
              <CommandLine command={line}>{effect}</CommandLine>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
