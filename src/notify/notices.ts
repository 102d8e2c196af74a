/**
 * Tells owners that a destination fails, was turned off, or works again. The store writes a notice in the transaction
 * that changes the destination, so none is lost; here they are claimed, sent and acknowledged.
 *
 *     claimed ──► sent ──► acknowledged
 *        └──► the mail server refuses ──► its claim runs out ──► claimed again
 *
 * A letter may go out twice (this node dies between sending and acknowledging), never not at all. One that is a day
 * late is dropped: the page tells the truth by then, and old news would contradict it.
 */
import type { Clock } from "../lib/clock.ts";
import { hoursMs, minutesMs, secondsMs } from "../lib/duration.ts";
import type { Random } from "../lib/random.ts";
import { createRounds } from "../lib/rounds.ts";
import type { StoredNotice } from "../store/dashboard-verbs.ts";
import type { Store } from "../store/store.ts";
import { failureLetter } from "./failure-mail.ts";
import type { Mailer } from "./mailer.ts";

export interface NoticesContext {
  readonly store: Pick<Store, "claimNotices" | "acknowledgeNotice">;
  readonly clock: Clock;
  readonly random: Random;
  readonly mailer: Mailer;
  readonly publicUrl: () => string;
  /** Told when the mail server did not take a letter, or the store is away. */
  readonly onFailure: (what: string, error: unknown) => void;
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
  let stopping: Promise<void> | null = null;

  async function step(): Promise<number> {
    const nowMs = ctx.clock.nowMs();
    const claimToken = Buffer.from(ctx.random.bytes(16)).toString("hex");
    const claimUntilMs = nowMs + CLAIM_MS;
    const notices = await ctx.store.claimNotices({ nowMs, claimToken, claimUntilMs, noticesMax: NOTICES_MAX });
    for (const notice of notices) await tell(ctx, notice, claimToken);
    return notices.length;
  }

  async function round(): Promise<number> {
    await step().catch((error: unknown) => ctx.onFailure("failure notices could not be read", error));
    return STEP_MS;
  }

  function stop(): Promise<void> {
    stopping ??= rounds.stop().then(() => ctx.mailer[Symbol.asyncDispose]());
    return stopping;
  }

  return { step, start: rounds.start, stop, [Symbol.asyncDispose]: stop };
}

/** A letter that is refused is tried again when its claim has run out; the others go out now. */
async function tell(ctx: NoticesContext, notice: StoredNotice, claimToken: string): Promise<void> {
  const isNews = ctx.clock.nowMs() - notice.atMs < NEWS_MS_MAX;
  const isSent = !isNews || (await trySend(ctx, notice));
  if (isSent) await ctx.store.acknowledgeNotice({ noticeSeq: notice.seq, claimToken });
}

async function trySend({ mailer, publicUrl, onFailure }: NoticesContext, notice: StoredNotice): Promise<boolean> {
  const messageId = `<bellwire-notice-${notice.seq}@${new URL(publicUrl()).hostname}>`;
  const mail = { ...failureLetter(notice, publicUrl()), to: notice.addresses, messageId };
  return await mailer.send(mail).then(
    () => true,
    (error: unknown) => {
      onFailure("the mail server did not take a failure notice", error);
      return false;
    },
  );
}
