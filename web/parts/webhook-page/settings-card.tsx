/** What a webhook is, in words: the fields of its form, as the form's own list shows them, and what waits for it. */
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { ownerForm } from "../../../src/domain/event.ts";
import { Card } from "../../ui/card.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { TextLink } from "../../ui/links.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Fact, WideFacts } from "../facts.tsx";
import type { ListFields } from "../form-fields.ts";
import { waitingHref, waitingWords } from "../health/health-words.ts";
import { targetInWords } from "../target-words.ts";

export interface ShownFact {
  readonly label: string;
  readonly words: string;
}

/** Its name is the page's, and what is left out of the form says nothing. */
const UNSAID: ReadonlySet<string> = new Set(["None", "Nothing", "No limit"]);

export const showFields = <Draft,>(listFields: ListFields<Draft>, draft: Draft): readonly ShownFact[] =>
  listFields([draft])
    .map(({ key, label, show }) => ({ key, label, words: key === "url" ? targetInWords(show(draft)) : show(draft) }))
    .filter(({ key, words }) => key !== "name" && !UNSAID.has(words));

interface Props {
  readonly destination: DestinationView;
  readonly facts: readonly ShownFact[];
  /** Who saved it last. */
  readonly changed: { readonly by: string; readonly atMs: number } | null;
}

export function SettingsCard({ destination: { id, owner, health }, facts, changed }: Props) {
  return (
    <Card
      title="What it is"
      actions={
        <LinkButton size="sm" href={ownerForm(owner)}>
          Edit
        </LinkButton>
      }
    >
      <WideFacts>
        {facts.map(({ label, words }) => (
          <Fact key={label} name={label}>
            {words}
          </Fact>
        ))}
        <Fact name="Waiting">
          {health.waiting.count === 0 ? (
            waitingWords(health)
          ) : (
            <TextLink href={waitingHref(id)}>{waitingWords(health)}</TextLink>
          )}
          {health.oldestWaitingAtMs !== null && (
            <span className="block text-sm text-ink-soft">
              The oldest was accepted <RelativeTime atMs={health.oldestWaitingAtMs} />
            </span>
          )}
        </Fact>
        {changed !== null && (
          <Fact name="Last saved">
            by {changed.by}, <RelativeTime atMs={changed.atMs} />
          </Fact>
        )}
      </WideFacts>
    </Card>
  );
}
