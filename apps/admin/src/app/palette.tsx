import { useNavigate } from '@tanstack/react-router';
import { Search, Zap, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Input,
  Menu,
  MenuItem,
  Modal,
  ModalOverlay,
  SearchField,
  useFilter,
} from 'react-aria-components';
import { shorten } from '@causeway/ui/format';
import { useRegisteredActions } from '../components/page-actions.js';
import { useGlobalActions } from './global-actions.js';
import { OPERATION_ICON, PAGES } from './pages.js';

/** An id, a transaction hash or an address. */
const HEX = /^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/;

interface Command {
  readonly id: string;
  readonly title: string;
  readonly group: string;
  readonly icon: LucideIcon;
  readonly run: () => void;
}

interface PaletteProps {
  readonly onClose: () => void;
  /** Opens the list of shortcuts. */
  readonly onHelp: () => void;
}

/** The command palette: pages, actions of the open page and of the console, and search by hash, id or address. */
export function CommandPalette({ isOpen, ...props }: PaletteProps & { readonly isOpen: boolean }) {
  const { onClose } = props;
  return (
    <ModalOverlay
      isOpen={isOpen}
      isDismissable
      onOpenChange={(open) => (open ? undefined : onClose())}
      className="fixed inset-0 z-50 flex items-start justify-center bg-black/50 p-3 pt-[12vh]"
    >
      <Modal className="w-full max-w-xl overflow-hidden rounded-xl border border-line bg-raised shadow-overlay">
        {/* The field scrolls with the list, so that the keyboard can scroll. */}
        <Dialog aria-label="Command palette" className="max-h-[26rem] overflow-y-auto outline-none">
          <Commands {...props} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Commands({ onClose, onHelp }: PaletteProps) {
  const navigate = useNavigate();
  const actions = useRegisteredActions();
  const everywhere = useGlobalActions({ onHelp });
  const { contains } = useFilter({ sensitivity: 'base' });
  const [text, setText] = useState('');
  const typed = text.trim();
  const commands: readonly Command[] = [
    ...(HEX.test(typed)
      ? [
          {
            id: 'search',
            title: `Find ${shorten(typed, 10, 8)} in operations`,
            group: 'Search',
            icon: OPERATION_ICON,
            run: () => void navigate({ to: '/operations', search: { search: typed } }),
          },
        ]
      : []),
    ...actions.map(({ title, run }, index) => ({ id: `page-${index}`, title, group: 'This page', icon: Zap, run })),
    ...PAGES.map(({ to, title, icon }) => ({
      id: to,
      title,
      group: 'Page',
      icon,
      run: () => void navigate({ to }),
    })),
    ...everywhere.map(({ title, icon, run }, index) => ({ id: `action-${index}`, title, group: 'Action', icon, run })),
  ];
  const run = (id: string) => {
    onClose();
    commands.find((command) => command.id === id)?.run();
  };
  return (
    <Autocomplete
      inputValue={text}
      onInputChange={setText}
      filter={(words, input) => words.startsWith('Find 0x') || contains(words, input.trim())}
    >
      <SearchField
        aria-label="Type a page, an action, a hash or an address"
        autoFocus
        className="sticky top-0 z-10 flex items-center gap-2.5 border-b border-line bg-raised px-4"
      >
        <Search aria-hidden className="size-4 shrink-0 text-muted" />
        <Input
          placeholder="Type a page, an action, a hash or an address"
          className="h-12 min-w-0 flex-1 bg-transparent text-sm outline-none placeholder:text-muted [&::-webkit-search-cancel-button]:hidden"
        />
        <kbd className="rounded border border-line px-1.5 py-0.5 text-xs text-muted">Esc</kbd>
      </SearchField>
      <Menu
        aria-label="Commands"
        items={commands}
        onAction={(id) => run(String(id))}
        renderEmptyState={() => <p className="px-4 py-6 text-center text-muted">No command matches.</p>}
        className="p-1.5 outline-none"
      >
        {({ id, title, group, icon: Icon }) => (
          <MenuItem
            id={id}
            textValue={title}
            className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 data-[focused]:bg-accent-soft data-[focused]:text-accent"
          >
            <Icon aria-hidden className="size-4 shrink-0" />
            <span className="min-w-0 flex-1 truncate">{title}</span>
            <span className="text-xs text-muted">{group}</span>
          </MenuItem>
        )}
      </Menu>
    </Autocomplete>
  );
}
