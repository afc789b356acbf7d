import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ACTIONS } from '@causeway/protocol/admin';
import { Button, Card, Empty, Hash, Loaded, SmallTable, Time } from '@causeway/ui/components';
import { nameWords } from '@causeway/ui/format';
import { membersQuery } from '../api/queries.js';
import { usePageActions } from '../components/page-actions.js';
import { FieldsDialog } from '../requests/fields-dialog.js';
import { RequestButton } from '../requests/request-button.js';
import { Member } from '../session/member.js';
import { useMay } from '../session/session.js';

/** The members on the allow-list. Changes are requests that two admins sign. */
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
                  nameWords(role),
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
  const isAllowed = useMay(ACTIONS.MEMBER_SET.role);
  const [isOpen, setOpen] = useState(false);
  usePageActions(
    useMemo(() => (isAllowed ? [{ title: 'Add or change a member', run: () => setOpen(true) }] : []), [isAllowed]),
  );
  if (!isAllowed) return null;
  return (
    <>
      <Button isSmall onPress={() => setOpen(true)}>
        Add or change a member
      </Button>
      {isOpen ? <FieldsDialog kind="MEMBER_SET" title="Add or change a member" onClose={() => setOpen(false)} /> : null}
    </>
  );
}
