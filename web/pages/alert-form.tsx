/** Settings → Alerts → one alert: the specification's first path, in its order. `new` is one that was never saved. */
import { useRef, useState } from "react";
import { useLocation, useParams } from "wouter";
import type { AlertDetail } from "../../src/dashboard/contract/alerts.ts";
import { idleWord } from "../parts/alert/alert-state.ts";
import { AlertMenu } from "../parts/alert/alert-menu.tsx";
import { ConditionsCard, TestCard, WebhooksCard } from "../parts/alert/alert-cards.tsx";
import { useAlertSubject } from "../parts/alert/use-alert-subject.ts";
import { HealthBanner } from "../parts/health/health-banner.tsx";
import { ConflictDialog, FormLayout, SaveBar } from "../parts/editor/form-layout.tsx";
import { DestinationStatus } from "../parts/webhook/destination.tsx";
import { useEditor } from "../parts/editor/use-editor.ts";
import { Incidents } from "../parts/incidents/lazy-incidents.tsx";
import { useLeaveGuard } from "../parts/editor/use-leave-guard.tsx";
import { useAnswerWhen, useOwnersOnly, useSession } from "../query.ts";
import { Card } from "../ui/card.tsx";
import { LinkButton } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";

const PLACE = { section: "Settings", back: { href: "/settings/alerts", label: "Alerts" } } as const;

export function AlertFormPage() {
  const { id } = useParams<{ id: string }>();
  // Once it is saved a new alert has an address of its own; the form with its tests stays as it is.
  const [created, setCreated] = useState<string | null>(null);
  const query = useAnswerWhen("GET /alerts/:id", id === "new" ? null : { params: { id } });
  const [, navigate] = useLocation();
  const onCreated = (newId: string): void => {
    setCreated(newId);
    navigate(`/settings/alerts/${newId}`, { replace: true });
  };
  if (id === "new" || id === created) {
    return <Editor key="new" detail={query.data ?? null} onCreated={onCreated} />;
  }
  if (query.data === undefined) {
    return (
      <Page title="Alert" {...PLACE}>
        <Card isFlush>
          <Loaded what="this alert" query={query}>
            {() => null}
          </Loaded>
        </Card>
      </Page>
    );
  }
  return <Editor key={id} detail={query.data} onCreated={onCreated} />;
}

interface Props {
  readonly detail: AlertDetail | null;
  readonly onCreated: (id: string) => void;
}

function Editor({ detail, onCreated }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const url = useRef<HTMLInputElement>(null);
  const editor = useEditor(useAlertSubject(onCreated), detail, { form, url });
  const { state, saved, phase } = editor;
  const ownersOnly = useOwnersOnly("change alerts");
  const { alertWebhooksGate } = useSession();
  const isGated = alertWebhooksGate !== null;
  const leaveGuard = useLeaveGuard(editor.isDirty, { what: named(state.name) });
  const destination = detail?.destination ?? null;
  return (
    <Page
      title={saved?.name ?? "New alert"}
      {...PLACE}
      aside={detail !== null && <DestinationStatus destination={destination} none={idleWord(detail, isGated)} />}
      actions={
        detail !== null && (
          <>
            {destination !== null && (
              <LinkButton href={`/deliveries?destination=${destination.id}`}>View deliveries</LinkButton>
            )}
            <AlertMenu alert={detail} isOnItsPage />
          </>
        )
      }
    >
      {destination !== null && <HealthBanner destination={destination} />}
      <FormLayout
        label="Alert"
        form={form}
        onSave={editor.save}
        beside={<TestCard editor={editor} ownersOnly={ownersOnly} />}
        bar={
          <SaveBar phase={phase} isDirty={editor.isDirty} disabledReason={ownersOnly}>
            <LinkButton href="/settings/alerts" tone="quiet">
              {editor.isDirty ? "Cancel" : "Back to alerts"}
            </LinkButton>
          </SaveBar>
        }
      >
        <ConditionsCard editor={editor} ownersOnly={ownersOnly} />
        <WebhooksCard editor={editor} urlRef={url} ownersOnly={ownersOnly} />
      </FormLayout>
      {destination !== null && <Incidents destinationId={destination.id} />}
      <ConflictDialog phase={phase} choice={editor.conflict} />
      {leaveGuard}
    </Page>
  );
}

const named = (name: string): string => (name.trim() === "" ? "this alert" : `“${name.trim()}”`);
