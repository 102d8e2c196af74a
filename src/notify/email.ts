/**
 * Emails to owners: they ask whether an address may be notified, and notify those that have confirmed it when
 * destinations fail, are turned off, or work again.
 *
 *     claimed ──► sent ──► settled
 *        └──► the mail server refuses ──► its claim ends ──► claimed again
 *
 * A refused address does not delay the others. An email may go out twice (this node dies between sending and settling),
 * but is never lost; a notification never goes out twice within a quarter of an hour.
 */
import type { Loop } from "../lib/rounds.ts";
import { stopTokenPlace } from "../domain/mail-address.ts";
import { confirmationPlace } from "../domain/message.ts";
import { assert } from "../lib/assert.ts";
import { minutesMs } from "../lib/duration.ts";
import type { Sealer } from "../lib/seal.ts";
import type { ClaimedConfirmation, ClaimedEmail } from "../store/contract/messages.ts";
import { confirmationEmail, type EmailText, notificationEmail, toMail } from "./email-text.ts";
import { type Mailer, type Receipt, isAboutAddress } from "./mailer.ts";
import { type Courier, createMessageLoop, type MessagesContext } from "./messages.ts";

export interface EmailContext extends MessagesContext {
  readonly sealer: Pick<Sealer, "open">;
  readonly mailer: Mailer;
  readonly publicUrl: () => string;
  /** Called when an account has named an address that does not exist. */
  readonly onNoMailbox: (accountId: string) => void;
}

/** For emails behind one that met a server which is down. */
const RETRY_MS = minutesMs(1);

const EMAILS_MAX = 10;

export function createEmailLoop(ctx: EmailContext): Loop {
  const loop = createMessageLoop(ctx, createEmailCourier(ctx));
  let checking: Promise<void> = Promise.resolve();
  let stopping: Promise<void> | null = null;

  /** A mistake in the settings is reported at the start, and not by the first email that does not go out. */
  function start(): void {
    checking = ctx.mailer.check().catch((error: unknown) => ctx.onFailure("the mail server cannot be used", error));
    loop.start();
  }

  function stop(): Promise<void> {
    stopping ??= Promise.all([loop.stop(), checking]).then(() => ctx.mailer[Symbol.asyncDispose]());
    return stopping;
  }

  return { ...loop, start, stop, [Symbol.asyncDispose]: stop };
}

/** One after the other: once the mail server is found to be down, it is not tried again in this step. */
function createEmailCourier(ctx: EmailContext): Courier {
  return {
    route: "email",
    messagesMax: EMAILS_MAX,
    async send(messages, settle) {
      let isDown = false;
      for (const message of messages) {
        assert(message.kind === "confirmation" || message.kind === "email", `no email: ${message.kind}`);
        if (isDown) {
          await settle(message, { end: { kind: "put_off", retryAtMs: ctx.clock.nowMs() + RETRY_MS } });
          continue;
        }
        const receipt = await send(ctx, message);
        if (receipt === "taken") await settle(message, { end: { kind: "sent" } });
        else if (receipt === "no_mailbox") await settle(message, { end: { kind: "no_mailbox" } });
        // A server that is down would delay each address until the claims have ended.
        else if (!isAboutAddress(receipt)) isDown = true;
      }
      return !isDown;
    },
  };
}

/** The error when the mail server did not take it. */
async function send(ctx: EmailContext, message: ClaimedConfirmation | ClaimedEmail): Promise<Receipt | Error> {
  const { accountId, address: to, recipient, sealedStop } = message;
  const publicUrl = ctx.publicUrl();
  const stopToken = ctx.sealer.open(sealedStop, stopTokenPlace(recipient));
  const mail = toMail(write(ctx, message, stopToken), { to, stopToken, publicUrl });
  try {
    const receipt = await ctx.mailer.send(mail);
    if (receipt === "no_mailbox") ctx.onNoMailbox(accountId);
    return receipt;
  } catch (error) {
    ctx.onFailure("the mail server did not take an email to an owner", error);
    return error as Error;
  }
}

function write(ctx: EmailContext, message: ClaimedConfirmation | ClaimedEmail, stopToken: string): EmailText {
  const links = { publicUrl: ctx.publicUrl(), stopToken };
  if (message.kind === "email") return notificationEmail({ ...message, ...message.notification }, links);
  const token = ctx.sealer.open(message.sealedSecret, confirmationPlace(message.secretHash));
  return confirmationEmail(message, { ...links, token });
}
