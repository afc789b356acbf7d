import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** The first link of a page, visible with the keyboard's focus: it leads past the navigation. */
export function SkipLink({ words }: { readonly words: string }) {
  return (
    <a
      href="#content"
      className="fixed top-2 left-2 z-50 -translate-y-20 rounded-md bg-accent-fill px-3 py-2 font-medium text-on-accent focus:translate-y-0"
    >
      {words}
    </a>
  );
}

/** The page of the current route. It receives the focus when it opens, so that a screen reader reads it. */
export function Content() {
  const main = useRef<HTMLElement>(null);
  const pathname = useLocation({ select: (location) => location.pathname });
  const previous = useRef(pathname);
  useEffect(() => {
    if (previous.current !== pathname) main.current?.focus({ preventScroll: true });
    previous.current = pathname;
  }, [pathname]);
  return (
    <main id="content" ref={main} tabIndex={-1} className="outline-none">
      <Outlet />
    </main>
  );
}
