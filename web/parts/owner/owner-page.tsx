/** The own page of an alert or a webhook, before its form: what it is and how it does. */
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { Send } from "lucide-react";
import { LinkButton } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState, LoadedCards } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { WebhookView } from "../webhook-page/lazy-view.tsx";
import type { ShownFact } from "../webhook-page/settings-card.tsx";
import { DestinationStatus } from "../webhook/destination.tsx";
import { type OwnerCalls, toOwnerKey, toPlace } from "./owner-calls.ts";
import { OwnerMenu } from "./owner-menu.tsx";

interface Owned {
  readonly id: string;
  readonly revision: number;
  readonly name: string;
  readonly destination: DestinationView | null;
  readonly changed: { readonly by: string; readonly atMs: number } | null;
}

interface Props<Detail, Body> {
  readonly calls: OwnerCalls<Detail, Body>;
  readonly toFacts: (detail: Detail) => readonly ShownFact[];
  readonly idleWord: (detail: Detail) => string | null;
}

export function OwnerPage<Detail extends Owned, Body>({ calls, toFacts, idleWord }: Props<Detail, Body>) {
  const { label, noun, page } = calls;
  const { id } = useParams<{ id: string }>();
  const query = useQuery({ queryKey: toOwnerKey(calls, id), queryFn: () => calls.read(id) });
  const { data } = query;
  const form = `${page}/${encodeURIComponent(id)}/edit`;
  return (
    <Page
      key={data === undefined ? "" : id}
      title={data?.name ?? label}
      {...toPlace(calls)}
      aside={data !== undefined && <DestinationStatus destination={data.destination} none={idleWord(data)} />}
      actions={
        data !== undefined && (
          <>
            <LinkButton href={form} tone="primary">
              Edit
            </LinkButton>
            <OwnerMenu owner={data} calls={calls} isOnItsPage />
          </>
        )
      }
    >
      <LoadedCards what={`this ${noun}`} query={query}>
        {(detail) =>
          detail.destination === null ? (
            <Card isFlush>
              <EmptyState icon={Send} title="No webhook yet" action={<LinkButton href={form}>Set it up</LinkButton>}>
                It sends nothing until it has a Webhook URL.
              </EmptyState>
            </Card>
          ) : (
            <WebhookView destination={detail.destination} facts={toFacts(detail)} changed={detail.changed} />
          )
        }
      </LoadedCards>
    </Page>
  );
}
