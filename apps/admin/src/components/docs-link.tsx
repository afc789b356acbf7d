import { CopyButton } from '@causeway/ui/components';

/** The link to a page of the documentation. Without a site it is a path in the repository, which a person copies. */
export function DocsLink({ name, link }: { readonly name: string; readonly link: string }) {
  return (
    <p className="inline-flex flex-wrap items-center gap-x-1.5 text-xs text-muted">
      {name}:{' '}
      {/^https?:/.test(link) ? (
        <a href={link} target="_blank" rel="noreferrer" className="underline wrap-anywhere">
          {link}
        </a>
      ) : (
        <>
          <code className="wrap-anywhere">{link}</code>
          <CopyButton text={link} label={`the place in the ${name.toLowerCase()}`} />
        </>
      )}
    </p>
  );
}
