/** From what is of a person to all of theirs. */
import { Users } from "lucide-react";
import { TextLink } from "../ui/links.tsx";
import { personHref } from "./person-href.ts";

export function PersonLink({ email }: { readonly email: string }) {
  return (
    <p className="flex items-start gap-2 px-1 text-sm [overflow-wrap:anywhere]">
      <Users aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ink-soft" />
      <TextLink href={personHref(email)}>All events of {email}</TextLink>
    </p>
  );
}
