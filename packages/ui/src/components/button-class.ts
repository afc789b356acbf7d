/** The weight of a button. */
export type Look = 'primary' | 'secondary' | 'danger' | 'quiet';

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

/** The classes of a button with only an icon. */
export const iconButtonClass =
  'inline-flex size-8.5 cursor-pointer items-center justify-center rounded-md text-muted transition-colors hover:bg-sunken hover:text-ink';
