import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { AdminRole } from '@causeway/protocol/admin';
import { membersQuery } from '../api/queries.js';
import { Button } from '../components/button.js';
import { Dialog, DialogActions } from '../components/dialog.js';
import { Select, TextField } from '../components/fields.js';
import { usePageActions } from '../components/page-actions.js';
import { Card, SmallTable } from '../components/page.js';
import { Empty, Loaded } from '../components/states.js';
import { Hash, Time } from '../components/value.js';
import { fieldWords, ROLES } from '../format/words.js';
import { RequestButton, useRequestDialog } from '../requests/request-button.js';
import { Member } from '../session/member.js';
import { useMay } from '../session/session.js';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Everybody on the allow-list. Changes are requests that two admins sign. */
export function MembersCard() {
  const query = useQuery(membersQuery);
  return (
    <Card title="Members" isFlush actions={<SetMember />}>
      <Loaded query={query}>
        {({ members }) =>
          members.length === 0 ? (
            <Empty title="The allow-list is empty." />
          ) : (
            <SmallTable
              caption="Members and their roles"
              columns={['Name', 'Address', 'Role', 'From', 'Added', 'Action']}
              rows={members.map(({ address, name, role, source, addedBy, addedAt }) => ({
                key: address,
                cells: [
                  name ?? <span className="text-muted">none</span>,
                  <Hash key="address" hex={address} label="address" />,
                  fieldWords(role),
                  source === 'configuration' ? 'Configuration' : 'Request',
                  <span key="added">
                    {addedAt === null ? (
                      <span className="text-muted">at the start</span>
                    ) : (
                      <Time at={addedAt} isShort />
                    )}
                    {addedBy === null ? null : (
                      <>
                        {' '}
                        by <Member address={addedBy} />
                      </>
                    )}
                  </span>,
                  source === 'configuration' ? (
                    <span key="none" className="text-muted">
                      fixed
                    </span>
                  ) : (
                    <RequestButton key="remove" terms={{ kind: 'MEMBER_REMOVE', address }} words="Remove" isSmall />
                  ),
                ],
              }))}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function SetMember() {
  const isAllowed = useMay('admin');
  const [isOpen, setOpen] = useState(false);
  const [address, setAddress] = useState('');
  const [role, setRole] = useState<AdminRole>('viewer');
  const [isTried, setTried] = useState(false);
  const ask = useRequestDialog();
  const typed = address.trim();
  usePageActions(
    useMemo(() => (isAllowed ? [{ title: 'Add or change a member', run: () => setOpen(true) }] : []), [isAllowed]),
  );
  if (!isAllowed) return null;
  const close = () => {
    setOpen(false);
    setTried(false);
  };
  return (
    <>
      <Button isSmall onPress={() => setOpen(true)}>
        Add or change a member
      </Button>
      <Dialog title="Add or change a member" isOpen={isOpen} onClose={close}>
        <form
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            setTried(true);
            if (!ADDRESS.test(typed)) return;
            close();
            ask({ kind: 'MEMBER_SET', address: typed as `0x${string}`, role });
          }}
        >
          <TextField
            label="Address"
            value={address}
            onChange={setAddress}
            isRequired
            error={isTried && !ADDRESS.test(typed) ? 'This must be an address: 0x and 40 hex digits.' : null}
          />
          <Select
            label="Role"
            value={role}
            choices={ROLES.map((value) => ({ value, words: fieldWords(value) }))}
            onChange={(value) => setRole(ROLES.find((each) => each === value) ?? 'viewer')}
          />
          <DialogActions>
            <Button onPress={close}>Cancel</Button>
            <Button type="submit" look="primary">
              Continue
            </Button>
          </DialogActions>
        </form>
      </Dialog>
    </>
  );
}
