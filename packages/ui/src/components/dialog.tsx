import { lazy, Suspense, type ComponentProps, type ReactNode } from 'react';

// A page shows its dialogs later, so they are not part of its first view.
const Modal = lazy(async () => import('./modal.js'));

/** See `Modal`. */
export function Dialog({ isOpen, ...rest }: ComponentProps<typeof Modal> & { readonly isOpen: boolean }) {
  return isOpen ? (
    <Suspense>
      <Modal {...rest} />
    </Suspense>
  ) : null;
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>;
}
