import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleUser, LogOut, Menu as MenuIcon, Search, X } from 'lucide-react';
import { useCallback, useState } from 'react';
import {
  Button as AriaButton,
  Dialog,
  Menu,
  MenuItem,
  MenuTrigger,
  Modal,
  ModalOverlay,
  Popover,
} from 'react-aria-components';
import { IconButton, ThemeButton } from '@causeway/ui/components';
import { shorten } from '@causeway/ui/format';
import { Content, SkipLink } from '@causeway/ui/routing';
import { signOut } from '../api/mutations.js';
import { settingsQuery } from '../api/queries.js';
import { RequestDialogs } from '../requests/request-button.js';
import { SessionGate, useSession } from '../session/session.js';
import { LiveMark, StaleNotice, useLiveUpdates } from './live.js';
import { Navigation } from './navigation.js';
import { CommandPalette } from './palette.js';
import { ShortcutList, useShortcuts } from './shortcuts.js';

/** The frame of a signed-in member's pages. */
export function Shell() {
  return (
    <SessionGate>
      <RequestDialogs>
        <Frame />
      </RequestDialogs>
    </SessionGate>
  );
}

type Overlay = 'palette' | 'shortcuts' | 'navigation' | null;

function Frame() {
  const downSince = useLiveUpdates();
  const [overlay, setOverlay] = useState<Overlay>(null);
  const close = useCallback(() => setOverlay(null), []);
  const onPalette = useCallback(() => setOverlay('palette'), []);
  const onHelp = useCallback(() => setOverlay('shortcuts'), []);
  useShortcuts({ onPalette, onHelp });
  return (
    <div className="min-h-dvh lg:pl-60">
      <SkipLink words="Skip to content" />
      <aside className="fixed inset-y-0 left-0 hidden w-60 flex-col overflow-y-auto border-r border-line bg-surface lg:flex">
        <Brand />
        <Navigation onGo={close} />
      </aside>
      <header className="sticky top-0 z-20 flex h-14 items-center gap-2 border-b border-line bg-surface px-3 sm:px-6 lg:px-8">
        <div className="lg:hidden">
          <IconButton label="Open navigation" onPress={() => setOverlay('navigation')}>
            <MenuIcon aria-hidden className="size-5" />
          </IconButton>
        </div>
        <AriaButton
          onPress={onPalette}
          className="flex h-8.5 min-w-0 flex-1 cursor-pointer items-center gap-2 rounded-md border border-edge bg-raised px-2.5 text-muted sm:max-w-sm"
        >
          <Search aria-hidden className="size-4 shrink-0" />
          <span className="min-w-0 flex-1 truncate text-left">Search or go to</span>
          <kbd className="hidden text-xs sm:inline">Ctrl K</kbd>
        </AriaButton>
        <div className="ml-auto flex items-center gap-1 sm:gap-2">
          <LiveMark downSince={downSince} />
          <ThemeButton />
          <Account />
        </div>
      </header>
      <StaleNotice downSince={downSince} />
      <Content />
      <CommandPalette isOpen={overlay === 'palette'} onClose={close} onHelp={onHelp} />
      <ShortcutList isOpen={overlay === 'shortcuts'} onClose={close} />
      <Drawer isOpen={overlay === 'navigation'} onClose={close} />
    </div>
  );
}

function Brand() {
  const settings = useQuery(settingsQuery).data;
  return (
    <div className="flex h-14 shrink-0 items-center gap-2.5 border-b border-line px-5">
      <img src="/icon.svg" alt="" className="size-6" />
      <span className="font-semibold">Causeway</span>
      {settings === undefined ? null : (
        <span
          title="Environment of this bridge"
          className={`ml-auto rounded px-1.5 py-0.5 text-xs font-medium ${settings.environment === 'mainnet' ? 'bg-bad-soft text-bad' : 'bg-info-soft text-info'}`}
        >
          {settings.environment}
        </span>
      )}
    </div>
  );
}

function Account() {
  const { address, role } = useSession();
  const leave = useMutation(signOut);
  return (
    <MenuTrigger>
      <AriaButton className="flex h-8.5 cursor-pointer items-center gap-2 rounded-md px-2 hover:bg-sunken">
        <CircleUser aria-hidden className="size-4.5 text-muted" />
        <span className="sr-only">Account</span>
        <span className="hidden font-mono text-xs md:inline">{shorten(address)}</span>
        <span className="hidden rounded bg-sunken px-1.5 py-0.5 text-xs text-muted sm:inline">{role}</span>
      </AriaButton>
      <Popover placement="bottom end" className="min-w-56 rounded-lg border border-line bg-raised p-1 shadow-overlay">
        <div className="px-2.5 py-2 text-xs">
          <p className="font-mono wrap-anywhere">{address}</p>
          <p className="mt-0.5 text-muted">Signed in as {role}</p>
        </div>
        <Menu aria-label="Account" onAction={() => leave.mutate()} className="outline-none">
          <MenuItem
            id="sign-out"
            className="flex cursor-pointer items-center gap-2 rounded-md px-2.5 py-1.5 data-[focused]:bg-accent-soft data-[focused]:text-accent"
          >
            <LogOut aria-hidden className="size-4" />
            Sign out
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function Drawer({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      isDismissable
      onOpenChange={(open) => (open ? undefined : onClose())}
      className="fixed inset-0 z-40 bg-black/50"
    >
      <Modal className="h-full w-72 max-w-[85vw] overflow-y-auto bg-surface shadow-overlay">
        <Dialog aria-label="Navigation" className="outline-none">
          <div className="absolute top-2.5 right-2.5">
            <IconButton label="Close navigation" onPress={onClose}>
              <X aria-hidden className="size-4" />
            </IconButton>
          </div>
          <Brand />
          <Navigation onGo={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
