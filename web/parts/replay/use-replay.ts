/** One replay, as it moves, and what can be decided about it. */
import { useEffect } from "react";
import type { ReplayView } from "../../../src/dashboard/contract/deliveries.ts";
import { useAnswer, useChange } from "../../query.ts";

/** The live stream tells of progress; this is for when it is gone, and for the rows that it does not name. A guess. */
const POLL_MS = 3_000;

export function useReplay(id: string) {
  const query = useAnswer("GET /replays/:id", { params: { id } });
  const change = useChange("PUT /replays/:id/state", "GET /replays/:id", "GET /replays", "GET /deliveries");
  const { data, refetch } = query;
  const isRunning = data?.state === "running";
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => void refetch(), POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning, refetch]);
  /** A refusal is in `error`. */
  const set = async (state: Exclude<ReplayView["state"], "finished">): Promise<boolean> => {
    try {
      await change.mutateAsync({ params: { id }, body: { state } });
      return true;
    } catch {
      return false;
    }
  };
  return { query, set, isBusy: change.isPending, error: change.error };
}
