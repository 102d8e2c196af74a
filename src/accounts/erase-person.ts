/**
 * Erasing a person from an account, when they or the law ask for it, for the product's call and an owner's at the page
 * alike. The answer counts what was taken out and never repeats the address, and neither do log, traces and audit.
 */
import type { Actor } from "../domain/account.ts";
import { secondsMs } from "../lib/duration.ts";
import type { InboxPlace } from "../store/contract/inbox.ts";
import type { AccountsContext } from "./context.ts";

/** A call goes on for so long, and is continued by another one. Callers wait for 30 s. */
const CALL_MS = secondsMs(15);
/**
 * The most of one step, which other callers' accepts wait for. An event took 0.8 ms to be emptied on a busy machine of
 * two cores, far longer than to be looked at: a step is short behind one that has found the person often.
 */
const STEP = { bytesMax: 2_000_000 };
const LOOKED_AT = 500;
const EMPTIED = 50;
const INBOX_RECORDS = 50;

export interface ErasedCounts {
  events: number;
  answers: number;
  cancelled: number;
  searches: number;
  inbox_records: number;
  refused_records: number;
  in_flight: number;
}

/** What is counted, for a person who has erased. */
export const ERASED_WORDS = [
  ["events", "events without their bodies now"],
  ["answers", "answers of receivers erased"],
  ["cancelled", "waiting deliveries cancelled, and not sent"],
  ["searches", "searches taken out of replays and views"],
  ["inbox_records", "records taken out of the outbox"],
  ["refused_records", "refused records emptied"],
] as const;

export interface ErasedPart extends ErasedCounts {
  /** `null`: that was all. */
  readonly next: string | null;
}

interface AskedToErase {
  readonly accountId: string;
  readonly email: string;
  /** Empty at first. */
  readonly after: string;
  readonly by: Actor;
}

export async function erasePerson(ctx: AccountsContext, { by, ...asked }: AskedToErase): Promise<ErasedPart> {
  const { store, clock } = ctx;
  const { accountId, email } = asked;
  const untilMs = clock.monotonicMs() + CALL_MS;
  const total = NOTHING();
  let next: string | null = asked.after === "" ? "inbox.0.0" : asked.after;
  let eventsMax = EMPTIED;
  // The inbox first: what a node takes out of it meanwhile is among the events then.
  do {
    const place: InboxPlace | null = readPlace(next);
    const nowMs = clock.nowMs();
    if (place !== null) {
      const part = await store.eraseFromInbox({ accountId, email, after: place, recordsMax: INBOX_RECORDS, nowMs });
      total.inbox_records += part.waiting;
      total.refused_records += part.refused;
      total.in_flight += part.inFlight;
      next = part.next === null ? FIRST_EVENT : `inbox.${part.next.waiting}.${part.next.refused}`;
    } else {
      const {
        inFlight,
        next: behind,
        ...part
      } = await store.erasePerson({ ...asked, after: toAfter(next), ...STEP, eventsMax, nowMs });
      eventsMax = part.events + part.answers > EMPTIED / 5 ? EMPTIED : LOOKED_AT;
      for (const name of ["events", "answers", "cancelled", "searches"] as const) total[name] += part[name];
      total.in_flight += inFlight;
      next = behind;
    }
  } while (next !== null && clock.monotonicMs() < untilMs);
  await writeAudit(ctx, { accountId, by, total });
  return { ...total, next };
}

const FIRST_EVENT = "evt_0";
const toAfter = (next: string): string => (next === FIRST_EVENT ? "" : next);

const NOTHING = (): ErasedCounts => ({
  events: 0,
  answers: 0,
  cancelled: 0,
  searches: 0,
  inbox_records: 0,
  refused_records: 0,
  in_flight: 0,
});

function readPlace(next: string): InboxPlace | null {
  const [, waiting, refused] = /^inbox\.(\d+)\.(\d+)$/.exec(next) ?? [];
  return waiting === undefined ? null : { waiting: Number(waiting), refused: Number(refused) };
}

/** That it was done and how much it was; not whom. */
async function writeAudit(
  { store, clock }: AccountsContext,
  { accountId, by, total }: { readonly accountId: string; readonly by: Actor; readonly total: ErasedCounts },
): Promise<void> {
  const records = total.inbox_records + total.refused_records;
  if (total.events + total.answers + total.searches + records === 0) return;
  await store.writeAudit({
    accountId,
    nowMs: clock.nowMs(),
    by,
    action: "person_erased",
    subject: `events: ${total.events}, records of the outbox: ${records}`,
  });
}
