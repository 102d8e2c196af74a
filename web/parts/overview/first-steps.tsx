/** The first steps of an account that has delivered nothing yet, in order; those that are done are ticked. */
import clsx from "clsx";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import type { SessionAnswer } from "../../../src/dashboard/contract/session.ts";
import { useSession } from "../../query.ts";
import { Card } from "../../ui/card.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { TextLink } from "../../ui/links.tsx";
import { recordWords } from "../uses.ts";

interface Step {
  readonly title: string;
  readonly text: ReactNode;
  readonly isDone: boolean;
  readonly action?: ReactNode;
}

export function FirstSteps({ destinations }: { readonly destinations: readonly DestinationView[] }) {
  const steps = makeSteps(destinations, useSession());
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <Card title="Send your first webhook" description="Three steps from here to a signed request at your server.">
      <ol className="space-y-4">
        {steps.map((step, index) => (
          <li key={step.title} className="flex gap-3.5">
            <span
              aria-hidden="true"
              className={clsx(
                "mt-px flex size-6 shrink-0 items-center justify-center rounded-full text-xs font-semibold",
                step.isDone ? "bg-ok-soft text-ok" : "bg-accent-soft text-accent",
              )}
            >
              {step.isDone ? <Check className="size-3.5" strokeWidth={2.5} /> : index + 1}
            </span>
            <div className="min-w-0">
              <h3 className="font-medium">
                {step.title}
                {step.isDone && <span className="sr-only"> (done)</span>}
              </h3>
              <p className="max-w-3xl text-ink-soft">{step.text}</p>
              {index === next && step.action !== undefined && <div className="mt-2.5">{step.action}</div>}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function makeSteps(destinations: readonly DestinationView[], session: SessionAnswer): readonly Step[] {
  const { hasPlayground, hasWebhooks, uses } = session;
  return [
    {
      title: "Say where it goes",
      text: (
        <>
          {hasWebhooks && (
            <>
              A <TextLink href="/settings/webhooks">webhook</TextLink> sends events of any type to your server.{" "}
            </>
          )}
          {uses.demos && "An alert sends a demo session to your server. "}
          {uses.chats && (
            <>
              A <TextLink href="/assistants">chat assistant’s Integrations tab</TextLink> sends its conversations.
            </>
          )}
        </>
      ),
      isDone: destinations.some(({ owner }) => !owner.isDeleted),
      action: (
        <div className="flex flex-wrap gap-2">
          {uses.demos && (
            <LinkButton tone="primary" href="/settings/alerts/new">
              Create the first alert
            </LinkButton>
          )}
          {hasWebhooks && (
            <LinkButton tone={uses.demos ? "plain" : "primary"} href="/settings/webhooks/new">
              Create the first webhook
            </LinkButton>
          )}
        </div>
      ),
    },
    {
      title: "Verify what arrives",
      text: (
        <>
          Every request is signed. The <TextLink href="/settings/verification">verification page</TextLink> has the
          secret and code for your language.
        </>
      ),
      isDone: false,
    },
    {
      title: hasPlayground ? "Send one" : "Wait for the first",
      text: hasPlayground ? (
        <>
          The <TextLink href="/playground">playground</TextLink> sends a session or a conversation by hand.
        </>
      ) : (
        `The next ${recordWords(session)} is delivered, and shows up here.`
      ),
      isDone: false,
    },
  ];
}
