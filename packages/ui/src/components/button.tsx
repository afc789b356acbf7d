import { Loader2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { buttonClass, iconButtonClass, type Look } from './button-class.js';

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
    <AriaButton {...rest} aria-label={label} className={iconButtonClass}>
      {children}
    </AriaButton>
  );
}
