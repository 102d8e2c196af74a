/** "Send what waits now": the call, and then the destination's own figures until everything is sent or fails again. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api.ts";
import { refresh } from "../../query.ts";
import { toast } from "../../toasts.ts";
import { OUTDATED_BY_STATE } from "./outdated-by-state.ts";
import { type Sending, findSendingState, sendingWords } from "./sending-words.ts";

const LOOK_MS = 500;
/** Two minutes; a backlog that takes longer goes on, and the banner's figures follow it. */
const LOOKS_MAX = 240;

export interface WaitingSender {
  readonly sending: Sending | null;
  readonly isBusy: boolean;
  /** Why nothing was sent; `null` when it was. */
  readonly error: string | null;
  readonly send: () => void;
}

export function useSendWaiting(id: string): WaitingSender {
  const client = useQueryClient();
  const [sending, setSending] = useState<Sending | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const params = { id };
  const run = async (): Promise<void> => {
    const { health: first } = await call("POST /destinations/:id/send-waiting", { params });
    let latest: Sending = { first, now: first };
    for (let look = 0; look < LOOKS_MAX && isUnderWay(latest); look += 1) {
      setSending(latest);
      await pass(LOOK_MS);
      latest = { first, now: (await call("GET /destinations/:id", { params })).health };
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
