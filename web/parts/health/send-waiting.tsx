/** The button that sends what waits for a webhook now, or for all that one host has, with how far it is below it. */
import { useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import type { DestinationView, SentWaiting } from "../../../src/dashboard/contract/destinations.ts";
import { call } from "../../api.ts";
import { refresh, useOwnersOnly, useSession } from "../../query.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/toasts.ts";
import { findSendingState, OUTDATED_BY_STATE, type Sending, sendingWords, sendLabel } from "./health-words.ts";
import { joinSending, sendAllLabel, sendRefusals, sumWaiting, type Trouble } from "./troubles.ts";

interface SendWaitingProps {
  readonly destination: Pick<DestinationView, "id" | "state" | "health">;
  readonly isPrimary?: boolean;
}

export function SendWaiting({ destination, isPrimary = false }: SendWaitingProps) {
  const { id, state, health } = destination;
  const params = { id };
  const sender = useSender(async () => {
    const { health: first } = await call("POST /destinations/:id/send-waiting", { params });
    const look = async (): Promise<Sending> => ({
      first,
      now: (await call("GET /destinations/:id", { params })).health,
    });
    return { start: { first, now: first }, look };
  });
  const isOffered = state === "on" && health.waiting.count > 0;
  return <SendButton {...{ sender, isOffered, isPrimary }} label={sendLabel(health)} />;
}

/** For every webhook of a trouble that is on. */
export function SendAll({ trouble, isOver = false }: { readonly trouble: Trouble; readonly isOver?: boolean }) {
  const { selectionMax } = useSession().limits;
  const ids = trouble.destinations.map(({ id }) => id);
  const list = async (): Promise<DestinationView[]> =>
    (await call("GET /destinations")).destinations.filter(({ id }) => ids.includes(id));
  const sender = useSender(async () => {
    const first = await list();
    const results: SentWaiting[] = [];
    for (let from = 0; from < ids.length; from += selectionMax) {
      const body = { ids: ids.slice(from, from + selectionMax) };
      results.push(...(await call("POST /destinations/send-waiting", { body })).results);
    }
    const refused = new Set(results.flatMap(({ id, refusal }) => (refusal === null ? [] : [id])));
    if (refused.size === results.length) throw new Error(sendRefusals(results) ?? "");
    const sent = (all: readonly DestinationView[]) => all.filter(({ id }) => !refused.has(id));
    const look = async (): Promise<Sending> => joinSending(sent(first), sent(await list()));
    return { start: joinSending(sent(first), sent(first)), look, note: sendRefusals(results) };
  });
  const isOffered = !isOver && trouble.word === "failing" && sumWaiting(trouble).count > 0;
  return <SendButton {...{ sender, isOffered }} label={sendAllLabel(trouble)} />;
}

interface SendButtonProps {
  readonly sender: Sender;
  readonly isOffered: boolean;
  readonly isPrimary?: boolean;
  readonly label: string;
}

function SendButton({
  sender: { sending, isBusy, error, send },
  isOffered,
  isPrimary = false,
  label,
}: SendButtonProps) {
  const ownersOnly = useOwnersOnly("send deliveries");
  if (!isOffered && sending === null) return null;
  return (
    <>
      {(isOffered || isBusy) && (
        <Button
          size="sm"
          tone={isPrimary ? "primary" : "plain"}
          icon={<Send />}
          isBusy={isBusy}
          disabledReason={ownersOnly}
          onClick={send}
        >
          {label}
        </Button>
      )}
      <span role="status" className="w-full text-sm font-medium text-ink empty:hidden">
        {sending !== null && sendingWords(sending)}
      </span>
      {error !== null && (
        <span role="alert" className="w-full text-sm text-bad">
          {error}
        </span>
      )}
    </>
  );
}

/* The call, and then the service's own figures until everything is sent or fails again. */

const LOOK_MS = 500;
/** Two minutes; a backlog that takes longer goes on, and the banner's figures follow it. */
const LOOKS_MAX = 240;

interface Started {
  readonly start: Sending;
  readonly look: () => Promise<Sending>;
  /** What was refused of several, in words. */
  readonly note?: string | null;
}

interface Sender {
  readonly sending: Sending | null;
  readonly isBusy: boolean;
  /** Why nothing, or not everything, was sent; `null` when it was. */
  readonly error: string | null;
  readonly send: () => void;
}

function useSender(begin: () => Promise<Started>): Sender {
  const client = useQueryClient();
  const [sending, setSending] = useState<Sending | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = async (): Promise<void> => {
    const { start, look, note = null } = await begin();
    setError(note);
    let latest = start;
    for (let looks = 0; looks < LOOKS_MAX && isUnderWay(latest); looks += 1) {
      setSending(latest);
      await pass(LOOK_MS);
      latest = await look();
    }
    setSending(latest);
    // The place that was pressed may be gone: a banner goes when its webhook is well.
    toast(sendingWords(latest));
    await refresh(client, [...OUTDATED_BY_STATE, "GET /deliveries", "GET /deliveries/:id"]);
  };
  const send = (): void => {
    if (isBusy) return;
    setBusy(true);
    setError(null);
    run()
      .catch((problem: unknown) => setError(problem instanceof Error ? problem.message : String(problem)))
      .finally(() => setBusy(false));
  };
  return { sending, isBusy, error, send };
}

const isUnderWay = (sending: Sending): boolean => ["trying", "going"].includes(findSendingState(sending));

const pass = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
