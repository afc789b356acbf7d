import { Loader2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';

type Look = 'primary' | 'secondary' | 'danger' | 'quiet';

const LOOKS: Readonly<Record<Look, string>> = {
  primary: 'bg-accent-fill text-on-accent hover:bg-accent-fill-hover',
  secondary: 'border border-line bg-raised text-ink shadow-card hover:bg-sunken',
  danger: 'bg-bad-fill text-on-accent hover:bg-bad-fill-hover',
  quiet: 'text-muted hover:bg-sunken hover:text-ink',
};

/** Returns the classes of a button, also for links that look like one. */
export function buttonClass(look: Look = 'secondary', isSmall = false): string {
  const size = isSmall ? 'h-7 px-2 text-xs' : 'h-8.5 px-3 text-sm';
  return `inline-flex ${size} cursor-pointer items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors disabled:cursor-not-allowed disabled:opacity-50 ${LOOKS[look]}`;
}

interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children'> {
  readonly look?: Look;
  readonly isSmall?: boolean;
  /** Shows a spinner and ignores presses. */
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

export function Button({ look = 'secondary', isSmall = false, isBusy = false, children, ...rest }: ButtonProps) {
  return (
    <AriaButton {...rest} isPending={isBusy} className={buttonClass(look, isSmall)}>
      {isBusy ? <Loader2 aria-hidden className="size-4 animate-spin" /> : null}
      {children}
    </AriaButton>
  );
}

/** A button with only an icon; its label is read out and shown on hover. */
export function IconButton({
  label,
  children,
  ...rest
}: Omit<AriaButtonProps, 'className' | 'children'> & { readonly label: string; readonly children: ReactNode }) {
  return (
    <AriaButton
      {...rest}
      aria-label={label}
      className="inline-flex size-8.5 cursor-pointer items-center justify-center rounded-md text-muted transition-colors hover:bg-sunken hover:text-ink"
    >
      {children}
    </AriaButton>
  );
}
