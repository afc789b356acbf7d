import type { ReactNode } from 'react';
import { CopyButton, Notice } from '@causeway/ui/components';

/** Runs the relayer's commands, from the repository after its build. */
const RELAYER = 'npx pnpm@12.21.0 exec node apps/relayer/dist/bundle/main.js';
/** Runs the commands of the role holders, from the repository. */
export const ADMIN = 'npx pnpm@12.21.0 admin';

/** Commands that do without the console what its requests and contract calls do. */
const COMMANDS: readonly (readonly [command: string, effect: string])[] = [
  [`${RELAYER} halts`, 'lists the halts'],
  [`${RELAYER} retry <operationId>`, 'retries a delayed operation'],
  [`${RELAYER} halt deliveries '<reason>'`, 'halts the deliveries'],
  [`${RELAYER} refund approve <refundId>`, 'signs a refund, as the operator of OPERATOR_KEYSTORE'],
  [`${ADMIN} pause --direction both --send`, 'pauses both directions, as a pauser or the guardian'],
  [`${ADMIN} --help`, 'lists the other contract calls'],
];

/** A command with a button that copies it. */
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
 * Names the missing wallet, and the commands that do the same.
 *
 * @param command the one that does exactly what the page would have the wallet do.
 */
export function NoWallet({ command }: { readonly command?: string | undefined }) {
  const commands = command === undefined ? COMMANDS : ([[command, 'signs and sends it with a key file']] as const);
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="warn" title="This browser has no wallet that the console can use.">
        The console needs the extension of a browser wallet that announces itself (EIP-6963), such as MetaMask or Rabby.
        Install or unlock it, choose the account of your role, then load the page again.
      </Notice>
      <section aria-label="Commands that do the same" className="rounded-lg bg-sunken p-3">
        <p className="mb-2 text-xs font-medium text-muted">
          Without a wallet, run the command on a machine of the operators:
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
