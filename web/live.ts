/**
 * The live stream (live-stream.ts) as the page uses it: shared by all windows of the browser (live-worker.ts), and let
 * go while the window is hidden. While it is off, the page asks anew at each failure, every 15 s.
 *
 * A frame carries ids and states only. It marks the answers that have become old (OUTDATED_BY) and goes to the
 * components that listen (`useLive`), which is how lists offer "12 new · Show" instead of moving under the reader.
 */
import type { Query, QueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import type { LiveFrames, LiveTopic } from "../src/dashboard/contract/live.ts";
import type { SessionAnswer } from "../src/dashboard/contract/session.ts";
import type { RouteName } from "../src/dashboard/contract/routes.ts";
import { dashboardAddress, forgetEarlyAnswers } from "./api.ts";
import { type LiveMessage, type LiveState, type LiveStream, createLiveStream } from "./live-stream.ts";
import type { Looking } from "./live-worker.ts";

type Reading = Extract<RouteName, `GET ${string}`>;

/** Lists of deliveries, sessions and a person's events are not here: their pages decide when rows appear. */
const OUTDATED_BY: Readonly<Record<Exclude<LiveTopic, "resync">, readonly Reading[]>> = {
  deliveries: ["GET /deliveries/:id", "GET /sessions/:id", "GET /conversations/:id", "GET /events/:type/:id"],
  destinations: [
    "GET /destinations",
    "GET /destinations/:id",
    "GET /destinations/:id/incidents",
    "GET /destinations/:id/report",
    "GET /incidents",
    "GET /alerts",
    "GET /alerts/:id",
    "GET /webhooks",
    "GET /webhooks/:id",
    "GET /assistants",
    "GET /assistants/:id",
    "GET /statistics",
  ],
  replays: ["GET /replays", "GET /replays/:id"],
  configuration: [
    "GET /session",
    "GET /alerts",
    "GET /alerts/:id",
    "GET /webhooks",
    "GET /webhooks/:id",
    "GET /assistants",
    "GET /assistants/:id",
    "GET /destinations",
    "GET /verification",
    "GET /audit",
    "GET /views",
    "GET /failure-mail",
    "GET /news-channels",
    "GET /signed-in",
    "GET /event-types/:type",
  ],
  // The question fails then, and the page shows its sign-in (app.tsx).
  ended: ["GET /session"],
};

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
  const tell = (message: LiveMessage): void => {
    if ("topic" in message) return receive(client, message.topic, message.data);
    // Frames of the time without a stream are lost.
    const hasMissed = message.state === "off" || (message.state === "live" && state !== "live");
    become(message.state);
    if (hasMissed) receive(client, "resync", {});
  };
  const stream = shareStream(dashboardAddress("/live"), tell);
  const follow = (): void => {
    if (!document.hidden) return stream.open();
    stream.close();
    become("reconnecting");
  };

  document.addEventListener("visibilitychange", follow);
  follow();
  return () => {
    document.removeEventListener("visibilitychange", follow);
    stream.close();
  };
}

/** Guess: longer than a slow line takes to bring the worker and its stream's first word. */
const SILENT_MS = 15_000;

/** The browser's one stream, or one of this window's own where there is no shared worker, as on Android. */
function shareStream(address: string, tell: (message: LiveMessage) => void): LiveStream {
  const own = createLiveStream(address, tell);
  const worker = startWorker();
  if (worker === null) return own;
  let isLooking = false;
  let isLost = false;
  let isHeard = false;
  const giveUp = (): void => {
    isLost = true;
    if (isLooking) own.open();
  };
  // Its script did not come: the service was updated while this page was open. A browser has once not said so.
  worker.addEventListener("error", giveUp);
  worker.port.addEventListener("message", ({ data }: MessageEvent<LiveMessage>) => {
    isHeard = true;
    if (isLooking && !isLost) tell(data);
  });
  worker.port.start();
  const look = (looks: boolean): void => {
    isLooking = looks;
    worker.port.postMessage({ address, isLooking } satisfies Looking);
    if (looks && !isHeard) setTimeout(() => isHeard || !isLooking || giveUp(), SILENT_MS);
    if (isLost || !looks) own[looks ? "open" : "close"]();
  };
  return { open: () => look(true), close: () => look(false) };
}

/** A browser that keeps nothing for this site, or a frame without an origin, refuses the worker that it has. */
function startWorker(): SharedWorker | null {
  if (typeof SharedWorker === "undefined") return null;
  try {
    return new SharedWorker(new URL("./live-worker.ts", import.meta.url), { type: "module" });
  } catch {
    return null;
  }
}

function become(next: LiveState): void {
  if (state === next) return;
  state = next;
  for (const watcher of watchers) watcher();
}

export function receive(client: QueryClient, topic: LiveTopic, data: unknown): void {
  if (topic === "resync") forgetEarlyAnswers();
  for (const queryKey of outdatedBy(topic, data)) outdate(client, queryKey);
  // What brought them may be the first of its kind. Asked again when the answer is old, and not at each of them.
  if (topic === "deliveries" && hasUnused(client)) {
    void client.refetchQueries({ queryKey: SESSION, exact: true, stale: true }, { cancelRefetch: false });
  }
  for (const handler of handlers) handler(topic, data);
}

const SESSION = ["GET /session", undefined];

/** Something that is left out of the account's pages until it is used (src/dashboard/sign-in/uses.ts). */
const hasUnused = (client: QueryClient): boolean =>
  Object.values(client.getQueryData<SessionAnswer>(SESSION)?.uses ?? {}).includes(false);

/** Answers on their way that may be from before: each is let in, and asked for once more. */
const fromBefore = new WeakSet<Query>();

/**
 * Asks again for what is shown of these. A question that is on its way goes on, and one follows it however many news
 * come meanwhile: news that are faster than answers would otherwise keep every answer from the page, and pile up
 * questions at the service.
 */
export function outdate(client: QueryClient, queryKey: readonly unknown[]): void {
  for (const query of client.getQueryCache().findAll({ queryKey, fetchStatus: "fetching" })) {
    if (fromBefore.has(query)) continue;
    fromBefore.add(query);
    const again = (): void => {
      fromBefore.delete(query);
      void client.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
    };
    // Also behind a refusal: a session that has ended may be followed by another one in the same browser.
    query.promise?.then(again, again);
  }
  void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
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
