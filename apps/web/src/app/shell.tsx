import { ThemeButton } from '@causeway/ui/components';
import { Content, SkipLink } from '@causeway/ui/routing';
import { Link } from '@tanstack/react-router';
import { useSettings } from '../settings/context.js';
import { COMMON } from '../words/common.js';

const PAGES = [
  { to: '/', words: COMMON.pages.move },
  { to: '/find', words: COMMON.pages.find },
  { to: '/status', words: COMMON.pages.status },
] as const;

/** The frame of all pages. */
export function Shell() {
  return (
    <div className="min-h-dvh">
      <SkipLink words={COMMON.skip} />
      <header className="sticky top-0 z-20 border-b border-line bg-surface">
        <div className="mx-auto flex h-14 max-w-5xl items-center gap-2 px-3 sm:gap-4 sm:px-6">
          <Brand />
          <nav aria-label="Pages" className="flex gap-0.5">
            {PAGES.map(({ to, words }) => (
              <Link
                key={to}
                to={to}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                className="rounded-md px-2 py-1.5 font-medium text-muted hover:bg-sunken hover:text-ink sm:px-2.5 data-[status=active]:bg-accent-soft data-[status=active]:text-accent"
              >
                {words}
              </Link>
            ))}
          </nav>
          <div className="ml-auto">
            <ThemeButton />
          </div>
        </div>
      </header>
      <Content />
    </div>
  );
}

function Brand() {
  const { environment } = useSettings().addressBook;
  return (
    <Link to="/" className="flex items-center gap-2">
      <img src="/icon.svg" alt="" className="size-6" />
      <span className="hidden font-semibold sm:inline">{COMMON.name}</span>
      {environment === 'mainnet' ? null : (
        <span className="rounded bg-info-soft px-1.5 py-0.5 text-xs font-medium text-info">{environment}</span>
      )}
    </Link>
  );
}
