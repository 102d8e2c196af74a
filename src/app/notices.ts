/** News that the program sends to people by itself: letters to owners, and notices to the operator's webhook. */
import { hostname } from "node:os";
import type { DeliveryContext } from "../delivery/context.ts";
import { createMailer } from "../notify/mailer.ts";
import { type Notices, createNotices } from "../notify/notices.ts";
import { type OperatorNotices, createOperatorNotices } from "../notify/operator-notices.ts";
import { createOperatorWebhook } from "../notify/operator-webhook.ts";
import type { AppOptions, Part } from "./options.ts";
import type { Storage } from "./storage.ts";

export interface NoticesPart extends Part {
  /** `null` when the operator has not set up e-mail. */
  readonly mail: Pick<Notices, "nudge"> | null;
}

export interface NoticesParams {
  readonly options: AppOptions;
  readonly storage: Storage;
  readonly delivery: DeliveryContext;
  readonly publicUrl: () => string;
}

export function createNoticesPart(params: NoticesParams): NoticesPart {
  const mail = createMailNotices(params);
  const all = [mail, createNoticesToOperator(params)].filter((each) => each !== null);
  return {
    mail,
    start() {
      for (const each of all) each.start();
    },
    async stop() {
      await Promise.all(all.map((each) => each.stop()));
    },
  };
}

function createMailNotices({ options, storage, delivery, publicUrl }: NoticesParams): Notices | null {
  const { smtpUrl, smtpPlaintext: plaintext, mailFrom } = options.config;
  if (smtpUrl === null) return null;
  const { store, clock, random, sealer } = storage;
  return createNotices({
    store,
    clock,
    random,
    sealer,
    mailer: createMailer({ smtpUrl, from: mailFrom, plaintext }),
    publicUrl,
    onFailure: (what, error) => delivery.report.failed({ what, error }),
    onNoMailbox: (accountId) => options.log.warn({ account_id: accountId }, "notice.no_mailbox"),
  });
}

/** `null` when the operator has not set up a webhook. */
function createNoticesToOperator({ options, storage, delivery }: NoticesParams): OperatorNotices | null {
  const { operatorWebhookUrl: url, operatorWebhookSecret: secret, operatorBacklogMs: backlogMs } = options.config;
  if (url === null || secret === null) return null;
  const { store, clock, random } = storage;
  return createOperatorNotices({
    store,
    clock,
    random,
    webhook: createOperatorWebhook({ url, secret, names: delivery.names, clock }),
    node: `${hostname()}:${process.pid}`,
    backlogMs,
    onFailure: (what, error) => delivery.report.failed({ what, error }),
  });
}
