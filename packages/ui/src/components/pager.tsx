import { Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { buttonClass } from './button-class.js';

/** The cursors of a page of a list. */
interface PagerProps {
  readonly page: { readonly previousCursor: string | null; readonly nextCursor: string | null };
  readonly shown: number;
  readonly what: string;
}

/** Links to the newer and the older page, whose cursor is in the URL. */
export function Pager({ page, shown, what }: PagerProps) {
  return (
    <nav
      aria-label={`Pages of ${what}`}
      className="flex items-center justify-between gap-3 border-t border-line px-4 py-2.5"
    >
      <p className="text-xs text-muted">
        {shown} {what} on this page
      </p>
      <div className="flex gap-2">
        <PagerLink cursor={page.previousCursor} words="Newer" isBack />
        <PagerLink cursor={page.nextCursor} words="Older" />
      </div>
    </nav>
  );
}

function PagerLink({
  cursor,
  words,
  isBack = false,
}: {
  readonly cursor: string | null;
  readonly words: string;
  readonly isBack?: boolean;
}) {
  const content = (
    <>
      {isBack ? <ChevronLeft aria-hidden className="size-4" /> : null}
      {words}
      {isBack ? null : <ChevronRight aria-hidden className="size-4" />}
    </>
  );
  if (cursor === null) {
    return (
      <span aria-disabled className={`${buttonClass('secondary', true)} opacity-50`}>
        {content}
      </span>
    );
  }
  return (
    <Link to="." search={(search: object) => ({ ...search, cursor })} className={buttonClass('secondary', true)}>
      {content}
    </Link>
  );
}
