import { useMemo, useState } from 'react';
import type { AdminRole, RequestKind, RequestTerms } from '@causeway/protocol/admin';
import { Button } from '../components/button.js';
import { usePageActions } from '../components/page-actions.js';
import { requestTitle } from '../format/words.js';
import { useMay } from '../session/session.js';
import { RequestDialog } from './request-dialog.js';

/** The role that may ask for each kind. */
export function roleFor(kind: RequestKind): AdminRole {
  return kind === 'MEMBER_SET' || kind === 'MEMBER_REMOVE' ? 'admin' : 'operator';
}

/** Kinds that take something away: shown in the colour of danger. */
const DANGEROUS: ReadonlySet<RequestKind> = new Set([
  'CANCEL',
  'HALT',
  'REFUND_REFUSE',
  'INTENT_REJECT',
  'MEMBER_REMOVE',
]);

/**
 * A button that opens the dialog of a request, and the same action in the command palette. It is not shown to a role
 * that may not ask for it.
 *
 * @param words instead of the title of the request.
 */
export function RequestButton({
  terms,
  words = requestTitle(terms),
  isPrimary = false,
  isSmall = false,
}: {
  readonly terms: RequestTerms;
  readonly words?: string;
  readonly isPrimary?: boolean;
  readonly isSmall?: boolean;
}) {
  const isAllowed = useMay(roleFor(terms.kind));
  const [isOpen, setOpen] = useState(false);
  usePageActions(useMemo(() => (isAllowed ? [{ title: words, run: () => setOpen(true) }] : []), [isAllowed, words]));
  // The terms are fixed while the dialog is open: a live update must not change what a person decides on.
  const [opened, setOpened] = useState(terms);
  if (!isAllowed) return null;
  const secondary = DANGEROUS.has(terms.kind) ? 'danger' : 'secondary';
  return (
    <>
      <Button
        look={isPrimary ? 'primary' : secondary}
        isSmall={isSmall}
        onPress={() => {
          setOpened(terms);
          setOpen(true);
        }}
      >
        {words}
      </Button>
      {isOpen ? <RequestDialog terms={opened} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
