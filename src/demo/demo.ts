/**
 * The demo's course: open the stage, let the product send, print each verified delivery. At the end it compares the
 * accepted records with the service's deliveries and with the verified arrivals.
 */
import type { CommandIo } from "../commands/command.ts";
import { keyPointers } from "../events/declared/declaration.ts";
import { hasNewKeys } from "../events/declared/new-example.ts";
import type { EventTypes } from "../events/event-types.ts";
import { type Clock, sleep, systemClock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { systemRandom } from "../lib/random.ts";
import { webhookLine } from "../receiver/print-webhook.ts";
import type { ReceivedWebhook } from "../receiver/receiver.ts";
import { saveWebhook } from "../receiver/save-webhook.ts";
import type { DeliveryCursor, ListedDeliveries } from "../store/contract/log.ts";
import { ACCOUNT_ID, startProduct } from "./product.ts";
import { type Stage, openStage } from "./stage.ts";
import { type ServiceCounts, acceptedInAll, deliveredOnce, heading, shortfalls, summary } from "./summary.ts";
import { type Tally, type TallyCounts, createTally } from "./tally.ts";
import { type WorkFolder, openWorkFolder } from "./work-folder.ts";

export interface DemoOptions {
  /** `null` runs until it is stopped. */
  readonly forMs: number | null;
  readonly ratePerSecond: number;
  /** A folder to keep everything in; `null` uses one that is removed at the end. */
  readonly keep: string | null;
  readonly types: EventTypes;
}

/** A receiver in the same process answers in milliseconds; one retry comes after 5 s. */
const DRAIN_MS_MAX = secondsMs(10);
/** A person who presses Ctrl-C does not want to wait. */
const DRAIN_MS_MAX_WHEN_ASKED = secondsMs(1);
const DRAIN_POLL_MS = 20;
/** The wait for the answer that the product still expects: longer only when the disk hangs. */
const STOP_MS_MAX = secondsMs(1);

/**
 * Runs the demo to its end. Returns 0 when every accepted record was delivered and verified, and both families arrived.
 */
export async function runDemo(io: CommandIo, options: DemoOptions): Promise<number> {
  const opened = openWorkFolder(options.keep);
  if (!opened.ok) {
    io.err(opened.error);
    return 1;
  }
  using folder = opened.value;
  const clock = systemClock;
  const { types } = options;
  const tally = createTally(types);
  const onWebhook = (webhook: ReceivedWebhook) => show(io, webhook, { tally, folder, clock });
  await using stage = await openStage(folder, types, onWebhook);
  for (const line of heading(stage, folder)) io.out(line);
  const { client } = stage;
  const { ratePerSecond } = options;
  const declared = types.all.filter(({ type }) => hasNewKeysOf(types, type));
  const product = startProduct({ client, declared, tally, clock, random: systemRandom, ratePerSecond, say: io.out });
  const wasAsked = await ended(io, options.forMs, clock);
  await Promise.race([product.stop(), sleep(clock, STOP_MS_MAX)]);
  const { counts, service } = await drain(stage, tally, { io, clock, wasAsked });
  for (const line of summary(counts, service)) io.out(line);
  if (folder.isKept) io.out(`  everything is kept in ${options.keep ?? ""}`);
  return shortfalls(counts, service).length === 0 ? 0 : 1;
}

/**
 * A record whose key is known is no new one, so a type whose examples all have one key is left out. So is one whose key
 * is not in the body.
 */
const hasNewKeysOf = ({ declarations }: EventTypes, type: string): boolean =>
  declarations.some(
    (declaration) => declaration.type === type && keyPointers(declaration).length > 0 && hasNewKeys(declaration),
  );

interface ShowParams {
  readonly tally: Tally;
  readonly folder: WorkFolder;
  readonly clock: Clock;
}

/** Printed only after it is saved, so that a reader finds the file. */
function show(io: CommandIo, webhook: ReceivedWebhook, { tally, folder, clock }: ShowParams): void {
  const { latencyMs, isRepeat } = tally.arrived(webhook, clock.monotonicMs());
  const saved = saveWebhook(folder.received, webhook);
  if (!saved.ok) io.err(saved.error);
  const after = isRepeat ? " · arrived before" : latencyMs === null ? "" : ` · ${latencyMs.toFixed(0)} ms`;
  io.out(webhookLine(webhook) + after);
}

/** True when a person asked, false when the time was over. */
async function ended({ stopAsked }: CommandIo, forMs: number | null, clock: Clock): Promise<boolean> {
  const asked = stopAsked.then(() => true);
  if (forMs === null) return await asked;
  const { promise: over, resolve } = Promise.withResolvers<boolean>();
  const cancel = clock.after(forMs, () => resolve(false));
  const wasAsked = await Promise.race([asked, over]);
  cancel();
  return wasAsked;
}

interface DrainParams {
  readonly io: CommandIo;
  readonly clock: Clock;
  readonly wasAsked: boolean;
}

/** Both books at one moment. */
interface Books {
  readonly counts: TallyCounts;
  readonly service: ServiceCounts;
}

/** Waits until the books agree, with a maximum, and returns them as they stand then. */
async function drain(stage: Stage, tally: Tally, { io, clock, wasAsked }: DrainParams): Promise<Books> {
  let deadlineMs = clock.monotonicMs() + (wasAsked ? DRAIN_MS_MAX_WHEN_ASKED : DRAIN_MS_MAX);
  void io.stopAsked.then(() => {
    deadlineMs = Math.min(deadlineMs, clock.monotonicMs() + DRAIN_MS_MAX_WHEN_ASKED);
  });
  for (;;) {
    const books = await readBooks(stage, tally);
    const { counts, service } = books;
    const delivered = deliveredOnce(counts, service);
    const isThrough = acceptedInAll(counts, service) === delivered && counts.verified === delivered;
    if (isThrough || clock.monotonicMs() >= deadlineMs) return books;
    await sleep(clock, DRAIN_POLL_MS);
  }
}

/**
 * The alert that is down on purpose delivers nothing, so a record counts by its other webhook. A person who mends it
 * has done what the demo is for: its deliveries stand apart in both books.
 */
async function readBooks({ app, downDestinationId }: Stage, tally: Tally): Promise<Books> {
  const { metrics, store } = app;
  const apart = await listDelivered(store, downDestinationId);
  const service = {
    accepted: await countAccepted(metrics),
    delivered: (await countDelivered(metrics)) - apart.length,
  };
  return { counts: tally.counts(apart), service };
}

async function listDelivered(store: Stage["app"]["store"], destinationId: string): Promise<readonly string[]> {
  const wanted = { accountId: ACCOUNT_ID, destinationId, statuses: ["delivered"], withTests: false } as const;
  const ids: string[] = [];
  for (let before: DeliveryCursor | null = null; ;) {
    const { deliveries, next }: ListedDeliveries = await store.listDeliveries({ ...wanted, before, limit: PAGE });
    ids.push(...deliveries.map(({ id }) => id));
    if (next === null) return ids;
    before = next;
  }
}

/** The rows that one page of the log may have. */
const PAGE = 100;

type Metrics = Stage["app"]["metrics"];

const countAccepted = async ({ accepted }: Metrics): Promise<number> =>
  (await accepted.get()).values.reduce((sum, { value }) => sum + value, 0);

async function countDelivered({ attempts }: Metrics): Promise<number> {
  const delivered = (await attempts.get()).values.filter(({ labels }) => labels.verdict === "delivered");
  return delivered.reduce((sum, { value }) => sum + value, 0);
}
