import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, TextField } from '@causeway/ui/components';

/** The filters of the audit log in the URL. */
interface AuditFilters {
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
}

const RULES = {
  actor: [/^(0x[0-9a-fA-F]{40})?$/, 'Enter an address: 0x and 40 hex digits.'],
  action: [/^([a-z][a-z-]{0,39})?$/, 'Enter an action such as sign-in.'],
  subject: [/^(0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})|[0-9a-fA-F-]{36})?$/, 'Enter an id or an address.'],
} as const;

/** Filters by member, action and subject, which go into the URL together. */
export function AuditFilterBar({ filters }: { readonly filters: AuditFilters }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState({
    actor: filters.actor ?? '',
    action: filters.action ?? '',
    subject: filters.subject ?? '',
  });
  const findProblem = (name: keyof typeof RULES) => (RULES[name][0].test(typed[name].trim()) ? null : RULES[name][1]);
  const isValid = findProblem('actor') === null && findProblem('action') === null && findProblem('subject') === null;
  const field = (name: keyof typeof RULES, label: string, placeholder: string) => (
    <TextField
      label={label}
      value={typed[name]}
      onChange={(value) => setTyped({ ...typed, [name]: value })}
      error={findProblem(name)}
      placeholder={placeholder}
    />
  );
  return (
    <form
      role="search"
      className="grid items-end gap-2 border-b border-line p-4 sm:grid-cols-2 lg:grid-cols-[1fr_12rem_1fr_auto]"
      onSubmit={(event) => {
        event.preventDefault();
        const given = Object.entries(typed).filter(([, value]) => value.trim() !== '');
        const search = Object.fromEntries(given.map(([name, value]) => [name, value.trim()]));
        if (isValid) void navigate({ to: '/audit', search });
      }}
    >
      {field('actor', 'Member', '0x…')}
      {field('action', 'Action', 'sign-in')}
      {field('subject', 'Subject', 'id or address')}
      <Button type="submit" isDisabled={!isValid}>
        Filter
      </Button>
    </form>
  );
}
