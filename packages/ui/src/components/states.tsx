import type { UseQueryResult } from '@tanstack/react-query';
import { Inbox, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from './button-class.js';
import { Notice } from './icon.js';

/** Grey bars in place of data that is loading. */
export function Loading({ rows = 5 }: { readonly rows?: number }) {
  return (
    <div role="status" className="flex flex-col gap-3 p-4">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, index) => (
        <div
          key={index}
          aria-hidden
          className={`h-4 animate-pulse rounded bg-line ${index % 3 === 0 ? 'w-2/3' : index % 3 === 1 ? 'w-full' : 'w-5/6'}`}
        />
      ))}
    </div>
  );
}

/** An empty state with its reason. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-1.5 px-6 py-10 text-center">
      <Inbox aria-hidden className="mb-1 size-7 text-muted" strokeWidth={1.5} />
      <p className="font-medium">{title}</p>
      {children === undefined ? null : <div className="max-w-prose text-muted">{children}</div>}
    </div>
  );
}

/** Returns the message of an error, with the next step that those of the SDK have. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'nextStep' in error ? `${error.message.replace(/\.?$/, '.')} ${String(error.nextStep)}` : error.message;
}

/** A failed read: the reason, and a button to retry. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  return (
    <div className="flex flex-col items-start gap-3 p-4">
      <Notice tone="bad" title="The data could not be read.">
        {describeError(error)}
      </Notice>
      <button type="button" onClick={onRetry} className={buttonClass()}>
        <RotateCw aria-hidden className="size-4" />
        Try again
      </button>
    </div>
  );
}

/** The state of a read: grey bars, the error, or its data. Data stays visible while a later read fails. */
export function Loaded<T>({
  query,
  rows = 5,
  children,
}: {
  readonly query: UseQueryResult<T>;
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
}) {
  const { data, error, isError, refetch } = query;
  if (data === undefined && isError) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading rows={rows} />;
  return (
    <>
      {isError ? (
        <div className="p-3">
          <Notice tone="warn" title="This may be out of date: the last read failed.">
            {describeError(error)}
          </Notice>
        </div>
      ) : null}
      {children(data)}
    </>
  );
}
