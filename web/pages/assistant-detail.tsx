/** One chat assistant: its conversations, and its webhook. The tab is in the address. */
import { useRef } from "react";
import { useLocation, useParams, useSearchParams } from "wouter";
import type { AssistantDetail } from "../../src/dashboard/contract/alerts.ts";
import type { DestinationView } from "../../src/dashboard/contract/destinations.ts";
import { Conversations } from "../parts/assistant/conversations.tsx";
import { HealthLabel } from "../parts/health/health-label.tsx";
import { Integrations } from "../parts/assistant/integrations.tsx";
import { useAssistantSubject } from "../parts/assistant/use-assistant-subject.ts";
import { useEditor } from "../parts/editor/use-editor.ts";
import { useLeaveGuard } from "../parts/editor/use-leave-guard.tsx";
import { showFields } from "../parts/webhook-page/settings-card.tsx";
import { WebhookView } from "../parts/webhook-page/lazy-view.tsx";
import { useAnswer } from "../query.ts";
import { LoadedCards } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";

const BACK = { href: "/assistants", label: "Assistants" };
const TABS = ["conversations", "webhook", "integrations"] as const;
type Tab = (typeof TABS)[number];

export function AssistantDetailPage() {
  const { id, tab } = useParams<{ id: string; tab?: string }>();
  const query = useAnswer("GET /assistants/:id", { params: { id } });
  if (query.data === undefined) {
    return (
      <Page title="Assistant" section="Assistants" back={BACK}>
        <LoadedCards what="this assistant" query={query}>
          {() => null}
        </LoadedCards>
      </Page>
    );
  }
  return <Assistant key={id} detail={query.data} tab={TABS.find((known) => known === tab) ?? "conversations"} />;
}

function Assistant({ detail, tab: asked }: { readonly detail: AssistantDetail; readonly tab: Tab }) {
  const [, navigate] = useLocation();
  const { id, name, destination } = detail;
  const place = `/assistants/${encodeURIComponent(id)}`;
  const form = useRef<HTMLFormElement>(null);
  const url = useRef<HTMLInputElement>(null);
  const tab = findTab(asked, { hasWebhook: destination !== null, isIncident: useSearchParams()[0].has("incident") });
  const subject = useAssistantSubject(id);
  const editor = useEditor(subject, detail, { form, url });
  const leaveGuard = useLeaveGuard(editor.isDirty, { what: `“${name}”`, within: place, phase: editor.phase });
  return (
    <Page
      title={name}
      section="Assistants"
      back={BACK}
      aside={destination !== null && <HealthLabel health={destination.health} />}
    >
      <Tabs<Tab>
        label={name}
        value={tab}
        onChange={(next) => navigate(next === "conversations" ? place : `${place}/${next}`)}
        tabs={[
          { id: "conversations", label: "Conversations", content: <Conversations assistantId={id} /> },
          ...(destination === null
            ? []
            : [
                {
                  id: "webhook",
                  label: "Webhook",
                  content: <OwnWebhook {...{ detail, destination, subject }} />,
                } as const,
              ]),
          {
            id: "integrations",
            label: "Integrations",
            content: <Integrations {...{ editor, destination, form, url, subject }} />,
          },
        ]}
      />
      {leaveGuard}
    </Page>
  );
}

interface Asked {
  readonly hasWebhook: boolean;
  /** Links of old e-mails lead to an incident beside the settings. */
  readonly isIncident: boolean;
}

function findTab(tab: Tab, { hasWebhook, isIncident }: Asked): Tab {
  if (tab === "conversations") return tab;
  return hasWebhook && (tab === "webhook" || isIncident) ? "webhook" : "integrations";
}

interface OwnWebhookProps {
  readonly detail: AssistantDetail;
  readonly destination: DestinationView;
  readonly subject: ReturnType<typeof useAssistantSubject>;
}

function OwnWebhook({ detail, destination, subject }: OwnWebhookProps) {
  const facts = showFields(subject.listFields, subject.toState(detail, null));
  return (
    <WebhookView
      destination={destination}
      facts={[{ label: "Sent for", words: "Its conversations that are complete" }, ...facts]}
      changed={detail.changed}
    />
  );
}
