/**
 * The live stream's connection: an EventSource that is opened anew when it breaks.
 *
 *     reconnecting ──► live ──► reconnecting ──► live
 *                                    └── 3 failures ──► off: tries again every 15 s
 */
import type { LiveTopic } from "../src/dashboard/contract/live.ts";

export type LiveState = "live" | "reconnecting" | "off";

export type LiveMessage = { readonly state: LiveState } | { readonly topic: LiveTopic; readonly data: unknown };

export interface LiveStream {
  open(): void;
  close(): void;
}

/** Failures in a row after which the page stops calling it a hiccup. A guess. */
const FAILURES_MAX = 3;
const OFF_RETRY_MS = 15_000;
/** Between a break and the next try: EventSource's own delay is up to the browser and none after an error status. */
const RETRY_MS = 2_000;

const TOPICS: Readonly<Record<LiveTopic, true>> = {
  deliveries: true,
  destinations: true,
  replays: true,
  configuration: true,
  ended: true,
  resync: true,
};

/** `tell` hears each frame, the state when the stream opens, and the state after each failure. */
export function createLiveStream(address: string, tell: (message: LiveMessage) => void): LiveStream {
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
    source = new EventSource(address);
    source.addEventListener("open", () => {
      failures = 0;
      tell({ state: "live" });
    });
    source.addEventListener("error", retry);
    for (const topic of Object.keys(TOPICS) as LiveTopic[]) {
      source.addEventListener(topic, ({ data }: MessageEvent<string>) => tell({ topic, data: JSON.parse(data) }));
    }
  };
  const retry = (): void => {
    close();
    failures += 1;
    const isOff = failures >= FAILURES_MAX;
    tell({ state: isOff ? "off" : "reconnecting" });
    timer = setTimeout(open, isOff ? OFF_RETRY_MS : RETRY_MS);
  };
  return { open, close };
}
