/** One chat assistant: its conversations, and its webhook. The tab is in the address. */
import { useRef } from "react";
import { useLocation, useParams } from "wouter";
import type { AssistantDetail } from "../../src/dashboard/contract/alerts.ts";
import { Conversations } from "../parts/assistant/conversations.tsx";
import { HealthLabel } from "../parts/health/health-label.tsx";
import { Integrations } from "../parts/assistant/integrations.tsx";
import { useAssistantSubject } from "../parts/assistant/use-assistant-subject.ts";
import { useEditor } from "../parts/editor/use-editor.ts";
import { useLeaveGuard } from "../parts/editor/use-leave-guard.tsx";
import { useAnswer } from "../query.ts";
import { LoadedCards } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";

const BACK = { href: "/assistants", label: "Assistants" };
type Tab = "conversations" | "integrations";

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
  return <Assistant key={id} detail={query.data} tab={tab === "integrations" ? tab : "conversations"} />;
}

function Assistant({ detail, tab }: { readonly detail: AssistantDetail; readonly tab: Tab }) {
  const [, navigate] = useLocation();
  const { id, name, destination } = detail;
  const place = `/assistants/${encodeURIComponent(id)}`;
  const form = useRef<HTMLFormElement>(null);
  const url = useRef<HTMLInputElement>(null);
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
        onChange={(next) => navigate(next === "integrations" ? `${place}/integrations` : place)}
        tabs={[
          { id: "conversations", label: "Conversations", content: <Conversations assistantId={id} /> },
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
