/**
 * One account's news as frames. News are collected until a frame is due, at most four times a second: a thousand
 * deliveries a second make the page fetch no more than one does. A delivery that changes twice is sent
 * once, in its latest state.
 */
import type { Clock } from "../../lib/clock.ts";
import type { LiveFrames, LiveTopic } from "../contract/live.ts";
import type { LiveDelivery } from "../call/context.ts";

const FRAME_MS = 250;

/** A page shows fewer rows; what is cut makes it fetch its list. A guess. */
const DELIVERIES_PER_FRAME_MAX = 100;

/** Frames kept for a stream that comes back: about half a minute of a busy account. */
const FRAMES_KEPT = 120;

/** How long a page waits before it connects again. */
const RETRY_MS = 2_000;

export interface LiveChannel {
  addDeliveries(deliveries: readonly LiveDelivery[]): void;
  /** There are more than are named. */
  addUnnamedDeliveries(): void;
  addDestinations(ids: readonly string[]): void;
  addReplays(ids: readonly string[]): void;
  addConfiguration(): void;
  /** The first text of a stream: the frames since the one it names, or `resync` when they are not kept any more. */
  greeting(lastEventId: string | null): string;
  stop(): void;
}

export interface LiveChannelOptions {
  readonly clock: Clock;
  /** Tells this channel's frames from those before a restart. */
  readonly epoch: string;
  readonly send: (text: string) => void;
}

export function createLiveChannel({ clock, epoch, send }: LiveChannelOptions): LiveChannel {
  const kept: { readonly seq: number; readonly text: string }[] = [];
  let pending = nothing();
  let seq = 0;
  let lastFrameMs = -FRAME_MS;
  let cancelTimer: (() => void) | null = null;

  function note(change: () => void): void {
    change();
    frameLater();
  }

  function frameLater(): void {
    const waitMs = Math.max(0, lastFrameMs + FRAME_MS - clock.monotonicMs());
    cancelTimer ??= clock.after(waitMs, frameNow);
  }

  function frameNow(): void {
    cancelTimer = null;
    lastFrameMs = clock.monotonicMs();
    const text = toFrames(pending).map(keep).join("");
    pending = nothing();
    send(text);
  }

  function keep([topic, data]: Frame): string {
    seq += 1;
    const text = eventText(`${epoch}-${seq}`, topic, data);
    kept.push({ seq, text });
    if (kept.length > FRAMES_KEPT) kept.shift();
    return text;
  }

  /** The number of the last frame seen, or `null` when some of what followed is not kept. */
  function parseSeen(lastEventId: string): number | null {
    const [, ofEpoch, digits] = /^([\w-]+)-(\d{1,15})$/.exec(lastEventId) ?? [];
    const seen = Number(digits);
    const oldest = kept[0]?.seq ?? seq + 1;
    return ofEpoch === epoch && seen <= seq && seen >= oldest - 1 ? seen : null;
  }

  return {
    addDeliveries: (deliveries) => note(() => deliveries.forEach((delivery) => addDelivery(pending, delivery))),
    addUnnamedDeliveries: () => note(() => (pending.isCut = true)),
    addDestinations: (ids) => note(() => ids.forEach((id) => pending.destinations.add(id))),
    addReplays: (ids) => note(() => ids.forEach((id) => pending.replays.add(id))),
    addConfiguration: () => note(() => (pending.configuration = true)),
    greeting(lastEventId) {
      const retry = `retry: ${RETRY_MS}\n\n`;
      // An id without news: a page that loses the connection before the first frame misses what comes from here on.
      if (lastEventId === null) return `${retry}id: ${epoch}-${seq}\n\n`;
      const seen = parseSeen(lastEventId);
      if (seen === null) return retry + eventText(`${epoch}-${seq}`, "resync", {});
      const missed = kept.filter((frame) => frame.seq > seen);
      return retry + missed.map(({ text }) => text).join("");
    },
    stop() {
      cancelTimer?.();
      cancelTimer = null;
    },
  };
}

interface Pending {
  readonly deliveries: Map<string, LiveDelivery>;
  isCut: boolean;
  readonly destinations: Set<string>;
  readonly replays: Set<string>;
  configuration: boolean;
}

type Frame = readonly [LiveTopic, LiveFrames[LiveTopic]];

const nothing = (): Pending => ({
  deliveries: new Map(),
  isCut: false,
  destinations: new Set(),
  replays: new Set(),
  configuration: false,
});

/** One that came and was sent within one frame is still new to the page. */
function addDelivery(pending: Pending, delivery: LiveDelivery): void {
  const earlier = pending.deliveries.get(delivery.id);
  if (earlier === undefined && pending.deliveries.size >= DELIVERIES_PER_FRAME_MAX) {
    pending.isCut = true;
    return;
  }
  pending.deliveries.set(delivery.id, { ...delivery, isNew: delivery.isNew || earlier?.isNew === true });
}

function toFrames({ deliveries, isCut, destinations, replays, configuration }: Pending): Frame[] {
  const frames: Frame[] = [];
  if (deliveries.size > 0 || isCut) frames.push(["deliveries", { changed: [...deliveries.values()], isCut }]);
  if (destinations.size > 0) frames.push(["destinations", { ids: [...destinations] }]);
  if (replays.size > 0) frames.push(["replays", { ids: [...replays] }]);
  if (configuration) frames.push(["configuration", {}]);
  return frames;
}

/** JSON has no line breaks of its own, so one `data:` line takes it. */
const eventText = (id: string, topic: LiveTopic, data: LiveFrames[LiveTopic]): string =>
  `id: ${id}\nevent: ${topic}\ndata: ${JSON.stringify(data)}\n\n`;
