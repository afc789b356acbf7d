import { createContext, use, useMemo, useState, type ReactNode } from 'react';
import { getAction, type RequestTerms } from '@causeway/protocol/admin';
import { Button } from '@causeway/ui/components';
import { usePageActions } from '../components/page-actions.js';
import { useMay } from '../session/session.js';
import { RequestDialog } from './request-dialog.js';

const RequestContext = createContext<((terms: RequestTerms) => void) | null>(null);

/**
 * Shows the dialog of a request above the pages: a completed request removes its button, such as `Halt`, but the dialog
 * must stay and show the result. The terms are fixed while the dialog is open.
 */
export function RequestDialogs({ children }: { readonly children: ReactNode }) {
  const [terms, setTerms] = useState<RequestTerms | null>(null);
  return (
    <RequestContext value={setTerms}>
      {children}
      {terms === null ? null : <RequestDialog terms={terms} onClose={() => setTerms(null)} />}
    </RequestContext>
  );
}

/** Returns the function that opens the dialog of a request. Only below `RequestDialogs`. */
export function useRequestDialog(): (terms: RequestTerms) => void {
  const open = use(RequestContext);
  if (open === null) throw new Error('useRequestDialog needs RequestDialogs above it');
  return open;
}

/**
 * A button that opens the dialog of a request, with the same action in the command palette. Hidden from roles that
 * cannot make the request.
 *
 * @param words the label. Default: the title of the request.
 */
export function RequestButton({
  terms,
  words = getAction(terms).title(terms),
  isPrimary = false,
  isSmall = false,
}: {
  readonly terms: RequestTerms;
  readonly words?: string;
  readonly isPrimary?: boolean;
  readonly isSmall?: boolean;
}) {
  const { role, isDanger } = getAction(terms);
  const isAllowed = useMay(role);
  const open = useRequestDialog();
  // Pages create new terms at every render; the action of the palette must change only if their content changes.
  const text = JSON.stringify(terms);
  usePageActions(
    useMemo(() => {
      const same = JSON.parse(text) as RequestTerms;
      return isAllowed ? [{ title: getAction(same).title(same), run: () => open(same) }] : [];
    }, [isAllowed, open, text]),
  );
  if (!isAllowed) return null;
  const secondary = isDanger === true ? 'danger' : 'secondary';
  return (
    <Button look={isPrimary ? 'primary' : secondary} isSmall={isSmall} onPress={() => open(terms)}>
      {words}
    </Button>
  );
}
