import { AlertTriangle, CheckCircle2, Circle, Info, OctagonAlert, type LucideIcon } from 'lucide-react';
import type { Label, Tone } from '../format/words.js';

const ICONS: Readonly<Record<Tone, LucideIcon>> = {
  good: CheckCircle2,
  warn: AlertTriangle,
  bad: OctagonAlert,
  info: Info,
  neutral: Circle,
};

const TEXT: Readonly<Record<Tone, string>> = {
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
  info: 'text-info',
  neutral: 'text-muted',
};

const SOFT: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
  neutral: 'bg-sunken text-muted',
};

/** The icon of a tone; the word beside it says the same. */
function ToneIcon({ tone, className = 'size-3.5' }: { readonly tone: Tone; readonly className?: string }) {
  const Icon = ICONS[tone];
  return <Icon aria-hidden className={`shrink-0 ${className}`} strokeWidth={2.25} />;
}

/** A word with an icon on the background of its tone. */
export function Badge({
  label: { word, tone },
  title,
}: {
  readonly label: Label;
  readonly title?: string | undefined;
}) {
  return (
    <span
      title={title}
      className={`inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${SOFT[tone]}`}
    >
      <ToneIcon tone={tone} className="size-3" />
      {word}
    </span>
  );
}

/** A word with an icon in a line of text. */
export function ToneText({ label: { word, tone } }: { readonly label: Label }) {
  return (
    <span className={`inline-flex items-center gap-1.5 font-medium ${TEXT[tone]}`}>
      <ToneIcon tone={tone} />
      {word}
    </span>
  );
}

/** A message box about the page or a form. Screen readers announce it. */
export function Notice({
  tone,
  title,
  children,
}: {
  readonly tone: Tone;
  readonly title: string;
  readonly children?: React.ReactNode;
}) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`flex gap-2.5 rounded-lg px-3.5 py-3 text-sm ${SOFT[tone]} wrap-anywhere`}
    >
      <ToneIcon tone={tone} className="mt-0.5 size-4" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{title}</p>
        {children === undefined ? null : <div className="mt-0.5">{children}</div>}
      </div>
    </div>
  );
}
