/** An address of this application at which there is nothing. */
import { MapPinOff } from "lucide-react";
import { EmptyState } from "../ui/loaded.tsx";
import { LinkButton } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";

export function NotFoundPage() {
  return (
    <Page title="Nothing at this address">
      <EmptyState
        icon={MapPinOff}
        title="There is no such page"
        action={<LinkButton href="/">Go to the overview</LinkButton>}
      >
        The address may be mistyped, or what it showed has been deleted.
      </EmptyState>
    </Page>
  );
}
