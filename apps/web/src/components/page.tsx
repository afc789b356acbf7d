import { useEffect, type ReactNode } from 'react';
import { COMMON } from '../words/common.js';

/** A page: a title (also of the tab) and its content. */
export function Page({
  title,
  isWide = false,
  children,
}: {
  readonly title: string;
  /** For lists and tables. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · ${COMMON.title}`;
  }, [title]);
  return (
    <div
      className={`mx-auto flex w-full flex-col gap-5 px-3 py-5 sm:px-6 lg:py-8 ${isWide ? 'max-w-5xl' : 'max-w-xl'}`}
    >
      <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
      {children}
    </div>
  );
}
