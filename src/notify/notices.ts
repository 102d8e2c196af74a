/**
 * Tells owners that a destination fails, was turned off, or works again. The store writes a notice in the transaction
 * that changes the destination, so none is lost; here they are claimed, sent and acknowledged.
 *
 *     claimed ──► sent ──► acknowledged
 *        └──► the mail server refuses ──► its claim runs out ──► claimed again
 *
 * Each address gets a letter of its own, and one that is refused keeps no other from getting its. A letter may go out
 * twice (this node dies between sending and acknowledging), never not at all. One that is a day late is dropped: the
 * page tells the truth by then, and old news would contradict it.
 */
import type { Clock } from "../lib/clock.ts";
import { hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";
import type { Random } from "../lib/random.ts";
import { createRounds } from "../lib/rounds.ts";
import type { StoredNotice } from "../store/dashboard-verbs.ts";
import type { Store } from "../store/store.ts";
import { failureLetter } from "./failure-mail.ts";
import { isAboutAddress, type Mailer } from "./mailer.ts";

export interface NoticesContext {
  readonly store: Pick<Store, "claimNotices" | "acknowledgeNotice">;
  readonly clock: Clock;
  readonly random: Random;
  readonly mailer: Mailer;
  readonly publicUrl: () => string;
  /** Told when the mail server did not take a letter, or the store is away. */
  readonly onFailure: (what: string, error: unknown) => void;
  /** Told when an account has named an address that does not exist. */
  readonly onNoMailbox: (accountId: string) => void;
}

export interface Notices extends AsyncDisposable {
  /** Sends what there is to tell now, and returns how many letters' notices that were. */
  step(): Promise<number>;
  start(): void;
  stop(): Promise<void>;
}

/** Guess: an owner who learns of an outage half a minute later has lost nothing. */
const STEP_MS = secondsMs(30);

/** Longer than a mail server may keep us waiting for a handful of letters; then another node tries. */
const CLAIM_MS = minutesMs(10);

const NOTICES_MAX = 10;
const NEWS_MS_MAX = hoursMs(24);

export function createNotices(ctx: NoticesContext): Notices {
  const rounds = createRounds(ctx.clock, round);
  const told: Told = new Map();
  let checking: Promise<void> = Promise.resolve();
  let stopping: Promise<void> | null = null;

  /** A mistake in the settings is said at the start, and not by the first letter that does not go out. */
  function start(): void {
    checking = ctx.mailer.check().catch((error: unknown) => ctx.onFailure("the mail server cannot be used", error));
    rounds.start();
  }

  async function step(): Promise<number> {
    const nowMs = ctx.clock.nowMs();
    const claimToken = Buffer.from(ctx.random.bytes(16)).toString("hex");
    const claimUntilMs = nowMs + CLAIM_MS;
    const notices = await ctx.store.claimNotices({ nowMs, claimToken, claimUntilMs, noticesMax: NOTICES_MAX });
    for (const [seq, { atMs }] of told) if (isOld(ctx.clock, atMs)) told.delete(seq);
    for (const notice of notices) {
      if (!isOld(ctx.clock, notice.atMs) && !(await tell(ctx, notice, told))) continue;
      await ctx.store.acknowledgeNotice({ noticeSeq: notice.seq, claimToken });
      told.delete(notice.seq);
    }
    return notices.length;
  }

  async function round(): Promise<number> {
    await step().catch((error: unknown) => ctx.onFailure("failure notices could not be read", error));
    return STEP_MS;
  }

  function stop(): Promise<void> {
    stopping ??= Promise.all([rounds.stop(), checking]).then(() => ctx.mailer[Symbol.asyncDispose]());
    return stopping;
  }

  return { step, start, stop, [Symbol.asyncDispose]: stop };
}

/**
 * By notice, who has had its letter while others are still to be tried again. Kept by this node alone: after its death
 * they get the letter twice.
 */
type Told = Map<number, { readonly atMs: number; readonly addresses: Set<string> }>;

const isOld = (clock: Clock, atMs: number): boolean => clock.nowMs() - atMs >= NEWS_MS_MAX;

/** False: an address is to be tried again, when the claim has run out. The others have had their letters by then. */
async function tell(ctx: NoticesContext, notice: StoredNotice, told: Told): Promise<boolean> {
  const { addresses: done } = told.get(notice.seq) ?? { addresses: new Set<string>() };
  told.set(notice.seq, { atMs: notice.atMs, addresses: done });
  for (const address of notice.addresses.filter((each) => !done.has(each))) {
    try {
      await send(ctx, notice, address);
      done.add(address);
    } catch (error) {
      ctx.onFailure("the mail server did not take a failure notice", error);
      // A server that is down would keep us for each address, until the claim has run out.
      if (!isAboutAddress(error)) return false;
    }
  }
  return notice.addresses.every((address) => done.has(address));
}

async function send(ctx: NoticesContext, notice: StoredNotice, to: string): Promise<void> {
  const publicUrl = ctx.publicUrl();
  const messageId = `<bellwire-notice-${notice.seq}@${new URL(publicUrl).hostname}>`;
  const receipt = await ctx.mailer.send({ ...failureLetter(notice, publicUrl), to, messageId });
  if (receipt === "no_mailbox") ctx.onNoMailbox(notice.accountId);
}
