/**
 * The live stream: one EventSource for the whole page, closed while the tab is hidden.
 *
 *     connecting ──► live ──► reconnecting ──► live
 *                                 └── 3 failures ──► off: asks every 15 s instead, and tries the stream again each time
 *
 * A frame carries ids and states only. It marks the answers that have become old (OUTDATED_BY) and goes to the
 * components that listen (`useLive`), which is how lists offer "12 new · Show" instead of moving under the reader.
 */
import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import type { LiveFrames, LiveTopic } from "../src/dashboard/contract/live.ts";
import type { RouteName } from "../src/dashboard/contract/routes.ts";
import { dashboardAddress } from "./api.ts";

export type LiveState = "live" | "reconnecting" | "off";

/** Failures in a row after which the page stops calling it a hiccup. A guess. */
const FAILURES_MAX = 3;
const POLL_MS = 15_000;
/** Between a break and the next try: EventSource's own delay is up to the browser and none after an error status. */
const RETRY_MS = 2_000;

type Reading = Extract<RouteName, `GET ${string}`>;

/** Lists of deliveries and sessions are not here: their pages decide when rows appear. */
const OUTDATED_BY: Readonly<Record<Exclude<LiveTopic, "resync">, readonly Reading[]>> = {
  deliveries: ["GET /deliveries/:id", "GET /sessions/:id", "GET /conversations/:id"],
  destinations: [
    "GET /destinations",
    "GET /destinations/:id",
    "GET /alerts",
    "GET /alerts/:id",
    "GET /assistants",
    "GET /assistants/:id",
  ],
  replays: ["GET /replays", "GET /replays/:id"],
  configuration: [
    "GET /session",
    "GET /alerts",
    "GET /alerts/:id",
    "GET /assistants",
    "GET /assistants/:id",
    "GET /destinations",
    "GET /verification",
    "GET /audit",
    "GET /failure-mail",
    "GET /news-channels",
    "GET /signed-in",
    "GET /event-types",
  ],
  // The question fails then, and the page shows its sign-in (app.tsx).
  ended: ["GET /session"],
};
const TOPICS = [...(Object.keys(OUTDATED_BY) as Exclude<LiveTopic, "resync">[]), "resync"] as const;

type Handler = (topic: LiveTopic, data: unknown) => void;

const handlers = new Set<Handler>();
const watchers = new Set<() => void>();
let state: LiveState = "reconnecting";

/**
 * Calls `handler` for each frame of the topic while the component is there. Topic `resync` means that frames were
 * missed: what the component knows from earlier frames is not to be trusted.
 */
export function useLive<Topic extends LiveTopic>(topic: Topic, handler: (data: LiveFrames[Topic]) => void): void {
  const onFrame = useEffectEvent((framed: LiveTopic, data: unknown) => {
    if (framed === topic) handler(data as LiveFrames[Topic]);
  });
  useEffect(() => {
    const listen: Handler = (framed, data) => onFrame(framed, data);
    handlers.add(listen);
    return () => void handlers.delete(listen);
  }, []);
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(watch, () => state);
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Connects, and keeps connected, until the returned function is called. */
export function startLive(client: QueryClient): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;

  const close = (): void => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const open = (): void => {
    close();
    source = new EventSource(dashboardAddress("/live"));
    source.addEventListener("open", () => {
      // Frames of the time without a stream are lost.
      if (state !== "live") receive(client, "resync", {});
      failures = 0;
      become("live");
    });
    source.addEventListener("error", retry);
    for (const topic of TOPICS) {
      source.addEventListener(topic, ({ data }: MessageEvent<string>) => receive(client, topic, JSON.parse(data)));
    }
  };
  const retry = (): void => {
    close();
    failures += 1;
    const isOff = failures >= FAILURES_MAX;
    become(isOff ? "off" : "reconnecting");
    if (isOff) receive(client, "resync", {});
    timer = setTimeout(open, isOff ? POLL_MS : RETRY_MS);
  };
  const follow = (): void => {
    if (!document.hidden) return open();
    close();
    become("reconnecting");
  };

  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    document.removeEventListener("visibilitychange", follow);
    close();
  };
}

function become(next: LiveState): void {
  if (state === next) return;
  state = next;
  for (const watcher of watchers) watcher();
}

function receive(client: QueryClient, topic: LiveTopic, data: unknown): void {
  for (const queryKey of outdatedBy(topic, data)) outdate(client, queryKey);
  for (const handler of handlers) handler(topic, data);
}

/** An answer that is on its way for the first time may be from before: it is let in, and asked for again. */
function outdate(client: QueryClient, queryKey: readonly unknown[]): void {
  const again = (): void => void client.invalidateQueries({ queryKey });
  for (const query of client.getQueryCache().findAll({ queryKey, fetchStatus: "fetching" })) {
    if (query.state.data === undefined) query.promise?.then(again, () => {});
  }
  again();
}

/** The beginnings of the keys of answers that are old now; every key when frames were missed. */
function outdatedBy(topic: LiveTopic, data: unknown): readonly (readonly unknown[])[] {
  if (topic === "resync") return [[]];
  const routes = OUTDATED_BY[topic];
  const { isCut, changed } = data as Partial<LiveFrames["deliveries"]>;
  // A busy account would otherwise make an open delivery fetch itself four times a second.
  if (topic !== "deliveries" || isCut === true || changed === undefined) return routes.map((route) => [route]);
  const [own, ...others] = routes;
  return [...changed.map(({ id }) => [own, { params: { id } }]), ...others.map((route) => [route])];
}
