/**
 * E-mail to owners. It asks the readers of new addresses whether they want it, and writes to those who do when
 * destinations fail, are turned off, or work again. The store writes news in the transaction that changes the
 * destination, so none is lost; here letters are claimed, sent and settled.
 *
 *     claimed ──► sent ──► settled
 *        └──► the mail server refuses ──► its claim runs out ──► claimed again
 *
 * Each address has letters of its own, and a refused address does not delay the others. A letter may go out twice (this
 * node dies between sending and settling), but is never lost; a digest never goes out twice within a quarter of an
 * hour. News that is a day old is dropped: the dashboard shows the present state by then.
 */
import type { Clock } from "../lib/clock.ts";
import { minutesMs, secondsMs } from "../lib/duration.ts";
import type { Random } from "../lib/random.ts";
import { createRounds } from "../lib/rounds.ts";
import type { Sealer } from "../lib/seal.ts";
import { stopTokenPlace } from "../domain/mail-address.ts";
import { hashSecret, newSecret, toToken } from "../domain/token.ts";
import type { ClaimedConfirmation, ClaimedDigest, MailVerbs } from "../store/contract/mail.ts";
import { confirmationLetter } from "./confirmation-letter.ts";
import { DIGEST_LINES_MAX, digestLetter } from "./digest-letter.ts";
import { isWorthTelling } from "./digest-words.ts";
import { type Letter, toMail } from "./letter.ts";
import { type Mailer, type Receipt, isAboutAddress } from "./mailer.ts";

type Verbs = "claimConfirmations" | "settleConfirmationIfClaimed" | "claimDigests" | "settleDigestIfClaimed";

export interface NoticesContext {
  readonly store: Pick<MailVerbs, Verbs>;
  readonly clock: Clock;
  readonly random: Random;
  readonly sealer: Pick<Sealer, "open">;
  readonly mailer: Mailer;
  readonly publicUrl: () => string;
  /** Called when the mail server did not take a letter, or the store is away. */
  readonly onFailure: (what: string, error: unknown) => void;
  /** Called when an account has named an address that does not exist. */
  readonly onNoMailbox: (accountId: string) => void;
}

export interface Notices extends AsyncDisposable {
  /** Sends every due letter, and returns the number of claimed letters. */
  step(): Promise<number>;
  start(): void;
  /** A letter is due, and a person waits for it. */
  nudge(): void;
  stop(): Promise<void>;
}

/** Guess. For letters that were requested on other nodes, and for news, which is collected for longer than that. */
const STEP_MS = secondsMs(10);

/** Longer than a mail server may need for a handful of letters; then another node tries. */
const CONFIRMATION_CLAIM_MS = minutesMs(5);

/** For letters behind one that met a server which is down. */
const RETRY_MS = minutesMs(1);

/** The most letters of each kind in a step. */
const LETTERS_MAX = 10;

export function createNotices(ctx: NoticesContext): Notices {
  const rounds = createRounds(ctx.clock, round);
  let checking: Promise<void> = Promise.resolve();
  let stopping: Promise<void> | null = null;

  /** A mistake in the settings is reported at the start, and not by the first letter that does not go out. */
  function start(): void {
    checking = ctx.mailer.check().catch((error: unknown) => ctx.onFailure("the mail server cannot be used", error));
    rounds.start();
  }

  async function step(): Promise<number> {
    return (await stepThrough(createPost(ctx))).claimed;
  }

  async function stepThrough(post: Post): Promise<{ readonly claimed: number; readonly hasMore: boolean }> {
    const counts = [await sendConfirmations(ctx, post), await sendDigests(ctx, post)] as const;
    const claimed = counts[0] + counts[1];
    return { claimed, hasMore: !post.isDown() && Math.max(...counts) === LETTERS_MAX };
  }

  async function round(): Promise<number> {
    try {
      const { hasMore } = await stepThrough(createPost(ctx));
      return hasMore ? 0 : STEP_MS;
    } catch (error) {
      ctx.onFailure("letters to owners could not be read", error);
      return STEP_MS;
    }
  }

  function stop(): Promise<void> {
    stopping ??= Promise.all([rounds.stop(), checking]).then(() => ctx.mailer[Symbol.asyncDispose]());
    return stopping;
  }

  return { step, start, nudge: rounds.nudge, stop, [Symbol.asyncDispose]: stop };
}

/** The connection to the mail server within one step: once it is found to be down, it is not tried again. */
interface Post {
  readonly isDown: () => boolean;
  /** `null`: the server did not take the letter. */
  send(letter: Letter, reader: Reader): Promise<Receipt | null>;
}

interface Reader {
  readonly address: string;
  readonly accountId: string;
  readonly stopToken: string;
}

function createPost(ctx: NoticesContext): Post {
  let isDown = false;
  return {
    isDown: () => isDown,
    async send(letter, { address: to, accountId, stopToken }) {
      try {
        const receipt = await ctx.mailer.send(toMail(letter, { to, stopToken, publicUrl: ctx.publicUrl() }));
        if (receipt === "no_mailbox") ctx.onNoMailbox(accountId);
        return receipt;
      } catch (error) {
        ctx.onFailure("the mail server did not take a letter to an owner", error);
        // A server that is down would delay each address until the claims have run out.
        isDown = !isAboutAddress(error);
        return null;
      }
    },
  };
}

const newClaimToken = (random: Random): string => Buffer.from(random.bytes(16)).toString("hex");

async function sendConfirmations(ctx: NoticesContext, post: Post): Promise<number> {
  const { store, clock, random } = ctx;
  const nowMs = clock.nowMs();
  const secrets = Array.from({ length: LETTERS_MAX }, () => newSecret(random));
  const secretsByHash = new Map(secrets.map((secret) => [hashSecret(secret), secret]));
  const claim = { claimToken: newClaimToken(random), claimUntilMs: nowMs + CONFIRMATION_CLAIM_MS };
  const claimed = await store.claimConfirmations({ ...claim, nowMs, secretHashes: [...secretsByHash.keys()] });
  for (const confirmation of claimed) {
    if (post.isDown()) break;
    const { accountId, letterId, secretHash } = confirmation;
    const token = toToken(accountId, secretsByHash.get(secretHash) ?? "");
    const receipt = await sendConfirmation(ctx, post, { ...confirmation, token });
    if (receipt === null) continue;
    const state = receipt === "taken" ? "sent" : receipt;
    // Others are not kept from their letters by the server of this account.
    await store
      .settleConfirmationIfClaimed({ accountId, letterId, claimToken: claim.claimToken, state })
      .catch((error: unknown) => ctx.onFailure("a confirmation letter was sent and could not be noted", error));
  }
  return claimed.length;
}

function sendConfirmation(
  ctx: NoticesContext,
  post: Post,
  confirmation: ClaimedConfirmation & { readonly token: string },
): Promise<Receipt | null> {
  const stopToken = openStopToken(ctx, confirmation);
  const links = { publicUrl: ctx.publicUrl(), token: confirmation.token, stopToken };
  return post.send(confirmationLetter(confirmation, links), { ...confirmation, stopToken });
}

async function sendDigests(ctx: NoticesContext, post: Post): Promise<number> {
  const { store, clock, random } = ctx;
  const claimToken = newClaimToken(random);
  const claim = { claimToken, digestsMax: LETTERS_MAX, linesMax: DIGEST_LINES_MAX };
  const claimed = post.isDown() ? [] : await store.claimDigests({ ...claim, nowMs: clock.nowMs() });
  for (const digest of claimed) {
    const { accountId, addressId } = digest;
    const settled = { accountId, addressId, claimToken };
    if (post.isDown()) {
      await store.settleDigestIfClaimed({ ...settled, retryAtMs: clock.nowMs() + RETRY_MS, toldAtMs: null });
    } else if (!isWorthTelling(digest)) {
      await store.settleDigestIfClaimed({ ...settled, retryAtMs: null, toldAtMs: null });
    } else if ((await sendDigest(ctx, post, digest)) !== null) {
      await store.settleDigestIfClaimed({ ...settled, retryAtMs: null, toldAtMs: clock.nowMs() });
    }
  }
  return claimed.length;
}

function sendDigest(ctx: NoticesContext, post: Post, digest: ClaimedDigest): Promise<Receipt | null> {
  const stopToken = openStopToken(ctx, digest);
  return post.send(digestLetter(digest, { publicUrl: ctx.publicUrl(), stopToken }), { ...digest, stopToken });
}

const openStopToken = (
  { sealer }: NoticesContext,
  { accountId, addressId, sealedStop }: Pick<ClaimedDigest, "accountId" | "addressId" | "sealedStop">,
): string => toToken(accountId, sealer.open(sealedStop, stopTokenPlace(addressId)));
