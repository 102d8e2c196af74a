/** A page on a slow line: what it loads, by Chromium's own account of its network. */
import type { Page } from "playwright-core";
import { eventually } from "../../test/kit/wait.ts";

export interface Loaded {
  readonly requests: number;
  /** On the wire, heads included, of what had come in whole. */
  readonly bytes: number;
}

export interface Loads {
  /** Until that instant, in milliseconds since 1970. */
  read(untilMs: number): Loaded;
  /** Resolves when no more code was asked for for a while; questions to the service never end. */
  untilQuiet(): Promise<void>;
}

interface Load {
  readonly startedMs: number;
  readonly url: string;
  endedMs: number;
  bytes: number;
}

/** A worker's script is none of the page's, and the page is never told that it has come. */
const isCode = (url: string): boolean => url.includes("/assets/") && !url.includes("worker");

/** Longer than a page waits before it loads others ahead. */
const QUIET_MS = 4_000;
const PATIENCE_MS = 60_000;

/** Makes the line slow, and begins to count. What a worker asks for is neither slow nor counted. */
export async function watchLoads(
  page: Page,
  line: { readonly latencyMs: number; readonly bytesPerSecond: number },
): Promise<Loads> {
  const session = await page.context().newCDPSession(page);
  const loads = new Map<string, Load>();
  /** Chromium counts from the machine's start, and says once how that is a time of day. */
  let originMs = 0;
  let changedMs = Date.now();
  session.on("Network.requestWillBeSent", ({ requestId, wallTime, timestamp, request }) => {
    originMs = (wallTime - timestamp) * 1_000;
    if (isCode(request.url)) changedMs = Date.now();
    const startedMs = wallTime * 1_000;
    loads.set(requestId, { startedMs, url: request.url, endedMs: Number.POSITIVE_INFINITY, bytes: 0 });
  });
  session.on("Network.loadingFinished", ({ requestId, timestamp, encodedDataLength }) => {
    const load = loads.get(requestId);
    if (load === undefined) return;
    if (isCode(load.url)) changedMs = Date.now();
    load.endedMs = originMs + timestamp * 1_000;
    load.bytes = encodedDataLength;
  });
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: line.latencyMs,
    downloadThroughput: line.bytesPerSecond,
    uploadThroughput: line.bytesPerSecond,
  });
  return {
    read(untilMs) {
      const started = [...loads.values()].filter(({ startedMs }) => startedMs <= untilMs);
      const ended = started.filter(({ endedMs }) => endedMs <= untilMs);
      return { requests: started.length, bytes: ended.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    async untilQuiet() {
      const isOpen = ({ endedMs, url }: Load): boolean => isCode(url) && endedMs === Number.POSITIVE_INFINITY;
      const isQuiet = () => Date.now() - changedMs > QUIET_MS && ![...loads.values()].some(isOpen);
      await eventually("the page loads nothing more", isQuiet, PATIENCE_MS);
    },
  };
}
