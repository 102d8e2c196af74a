/** The account, the person who looks at it, and their role. */
import { useSession } from "../session.ts";

export function Who() {
  const { account, person, role } = useSession();
  return (
    <dl className="min-w-0 text-sm">
      <dt className="sr-only">Account</dt>
      <dd className="truncate font-medium" title={account.name}>
        {account.name}
      </dd>
      <dt className="sr-only">Signed in as</dt>
      <dd className="truncate text-ink-soft" title={person}>
        {person}
      </dd>
      <dt className="sr-only">Role</dt>
      <dd className="text-ink-soft">{role === "owner" ? "Owner" : "Viewer: may look, not change"}</dd>
    </dl>
  );
}
