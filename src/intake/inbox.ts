/**
 * The third way in, beside the two calls: records that the product has put into the inbox inside its own transactions.
 * Every node claims its share of them, and passes each to `delivery/accept.ts`, as a call's record.
 *
 *     claimed ──► accepted: event, deliveries and the inbox's row in one commit
 *        ├──────► refused: kept with its reason
 *        └──────► given back: its account is not known yet, or something of ours went wrong
 *
 * Invariant: after a crash at any moment, either the row of the inbox or its event is there. A record that this node
 * took and did not finish is due again when its claim ends.
 */
import type { Acceptance, GivenRecord } from "../delivery/accept.ts";
import type { InboxReport } from "./report.ts";
import { LIMITS } from "../domain/limits.ts";
import type { Problem, Result } from "../domain/problem.ts";
import type { EventTypes } from "../events/event-types.ts";
import type { Clock } from "../lib/clock.ts";
import { secondsMs, minutesMs } from "../lib/duration.ts";
import type { Random } from "../lib/random.ts";
import { createBackOff, createRounds } from "../lib/rounds.ts";
import type { InboxRecord, InboxVerbs, ReleaseInboxRecords } from "../store/contract/inbox.ts";
import { StoreUnavailable } from "../store/contract/store.ts";
import { type Fate, decideFates } from "./inbox-fates.ts";

export interface InboxContext {
  readonly store: Pick<
    InboxVerbs,
    "claimInboxRecords" | "releaseInboxRecordsIfClaimed" | "refuseInboxRecordsIfClaimed"
  >;
  readonly types: EventTypes;
  readonly clock: Clock;
  readonly random: Random;
  readonly accept: (accountId: string, records: readonly GivenRecord[]) => Promise<Result<readonly Acceptance[]>>;
  readonly report: InboxReport;
}

export interface Inbox extends AsyncDisposable {
  /** Claims a batch of due records and processes it. Rejects when the store is away. */
  step(): Promise<{ readonly taken: number; readonly hasMore: boolean }>;
  start(): void;
  /** Claims nothing more, and waits for the current batch. May be called twice. */
  stop(): Promise<void>;
}

/** A batch takes some ten milliseconds. Other nodes wait this long for the records of a node that died. */
const CLAIM_MS = secondsMs(30);

/** Guess. Enough for thousands a second, and little to repeat when a node dies. */
const RECORDS_MAX = 500;
const BYTES_MAX = LIMITS.batchBytesMax;

/** While the store is away: the pause between two polls, doubling. */
const AWAY_MS = secondsMs(1);
const AWAY_MS_MAX = secondsMs(8);

export function createInbox(ctx: InboxContext): Inbox {
  const rounds = createRounds(ctx.clock, round);
  /** Claims that could not be given back because the store was away. They come before new claims. */
  const owed: ReleaseInboxRecords[] = [];
  const away = createBackOff(AWAY_MS, AWAY_MS_MAX);
  const pace = createInboxPace(ctx.clock);

  async function payBack(): Promise<void> {
    for (let [next] = owed; next !== undefined; [next] = owed) {
      await ctx.store.releaseInboxRecordsIfClaimed(next);
      owed.shift();
    }
  }

  async function step(): Promise<{ taken: number; hasMore: boolean }> {
    await payBack();
    const nowMs = ctx.clock.nowMs();
    const claim = { token: newToken(ctx.random), untilMs: nowMs + CLAIM_MS };
    const limits = { recordsMax: RECORDS_MAX, bytesMax: BYTES_MAX };
    const { records, hasMore } = await ctx.store.claimInboxRecords({ nowMs, claim, ...limits });
    const fates = await decideFates(ctx, records);
    const refused = [...fates].flatMap(([record, fate]) => (fate.kind === "refused" ? [{ record, ...fate }] : []));
    for (const [{ type }, fate] of fates) if (fate.kind === "accepted") ctx.report.taken({ type, ...fate });
    owed.push(...givenBack(fates, claim.token, ctx.clock.nowMs()));
    owed.push(...(await refuse(ctx, refused, claim.token)));
    await payBack();
    return { taken: records.length, hasMore };
  }

  async function round(): Promise<number> {
    try {
      const { taken, hasMore } = await step();
      away.reset();
      const waitMs = pace(taken);
      return hasMore ? 0 : waitMs;
    } catch (error) {
      ctx.report.failed({ what: "taking records out of the inbox", error });
      return away.next();
    }
  }

  async function stop(): Promise<void> {
    await rounds.stop();
    // A claim that cannot be given back now ends by itself.
    await payBack().catch(() => {});
  }

  return { step, start: rounds.start, stop, [Symbol.asyncDispose]: stop };
}

const newToken = (random: Random): string => Buffer.from(random.bytes(12)).toString("base64url");

/** The part of a batch that is given back: an accepted record has left with its event. */
function givenBack(
  fates: ReadonlyMap<InboxRecord, Fate>,
  claimToken: string,
  nowMs: number,
): readonly ReleaseInboxRecords[] {
  const dueAgain = (kind: Fate["kind"], pauseOf: (record: InboxRecord) => number) =>
    [...fates].flatMap(([record, fate]) =>
      fate.kind === kind ? [{ seq: record.seq, dueAtMs: nowMs + pauseOf(record) }] : [],
    );
  const longer = ({ emittedAtMs }: InboxRecord): number => pauseMs(nowMs - emittedAtMs);
  const faultless = [...dueAgain("account_missing", longer), ...dueAgain("unavailable", () => AWAY_MS_MAX)];
  const all = [
    { claimToken, records: faultless, isTry: false },
    { claimToken, records: dueAgain("failed", longer), isTry: true },
  ];
  return all.filter(({ records }) => records.length > 0);
}

/** The pause equals the record's age, from one second to one minute. */
const pauseMs = (ageMs: number): number => Math.min(Math.max(ageMs, secondsMs(1)), secondsMs(60));

interface Refused {
  readonly record: InboxRecord;
  readonly problem: Problem;
}

/** Returns the claims to give back when that fails: then the records are refused another time. */
async function refuse(
  { store, clock, report }: InboxContext,
  refused: readonly Refused[],
  claimToken: string,
): Promise<readonly ReleaseInboxRecords[]> {
  if (refused.length === 0) return [];
  const nowMs = clock.nowMs();
  const refusals = refused.map(({ record: { seq }, problem }) => ({ seq, problem }));
  try {
    await store.refuseInboxRecordsIfClaimed({ claimToken, nowMs, refusals });
  } catch (error) {
    report.failed({ what: `keeping ${refused.length} refused records`, error });
    const records = refused.map(({ record: { seq, emittedAtMs } }) => ({
      seq,
      dueAtMs: nowMs + pauseMs(nowMs - emittedAtMs),
    }));
    return [{ claimToken, records, isTry: !(error instanceof StoreUnavailable) }];
  }
  for (const { record, problem } of refused) report.refused({ ...record, problem });
  return [];
}

/** The longest extra wait of an event compared with HTTP. */
const POLL_MS = 250;

/** Guess. The longest wait of the first record after a quiet time. Most products never use the inbox. */
const QUIET_POLL_MS = secondsMs(1);
const QUIET_AFTER_MS = minutesMs(10);

/** The wait after a poll that brought `taken` records: longer while the product does not use the inbox, as at start. */
export function createInboxPace(clock: Pick<Clock, "monotonicMs">): (taken: number) => number {
  let quietFromMs = -Infinity;
  return (taken) => {
    const nowMs = clock.monotonicMs();
    if (taken > 0) quietFromMs = nowMs + QUIET_AFTER_MS;
    return nowMs < quietFromMs ? POLL_MS : QUIET_POLL_MS;
  };
}
