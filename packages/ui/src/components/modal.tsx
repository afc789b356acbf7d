import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal as AriaModal, ModalOverlay } from 'react-aria-components';
import { IconButton } from './button.js';

/**
 * A dialog over the page. Escape and the button in the corner close it; a press outside does not, because a form would
 * be lost.
 */
export default function Modal({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(open) => (open ? undefined : onClose())}
      className="fixed inset-0 z-40 flex items-end justify-center bg-black/50 sm:items-start sm:p-6 sm:pt-[8vh]"
    >
      <AriaModal className="flex max-h-[92dvh] w-full flex-col overflow-hidden rounded-t-2xl border border-line bg-surface shadow-overlay sm:max-h-[84dvh] sm:max-w-2xl sm:rounded-2xl">
        <AriaDialog className="flex min-h-0 flex-col outline-none">
          <div className="flex items-center justify-between gap-4 border-b border-line py-2.5 pr-3 pl-5">
            <Heading slot="title" className="text-base font-semibold">
              {title}
            </Heading>
            <IconButton label="Close" onPress={onClose}>
              <X aria-hidden className="size-4" />
            </IconButton>
          </div>
          <div className="min-h-0 overflow-y-auto p-5">{children}</div>
        </AriaDialog>
      </AriaModal>
    </ModalOverlay>
  );
}
