/** Messages that the program sends by itself: email and channels of owners, and alerts to the operator's webhook. */
import { hostname } from "node:os";
import { secretsAt } from "../accounts/secrets.ts";
import type { DeliveryContext } from "../delivery/context.ts";
import { sendCurrent } from "../delivery/send-current.ts";
import { LIMITS } from "../domain/limits.ts";
import {
  type ChannelPostContext,
  createChannelLoop,
  type TestChannel,
  testChannel,
  type TestedChannel,
} from "../notify/channel.ts";
import { createEmailLoop } from "../notify/email.ts";
import { createMailer } from "../notify/mailer.ts";
import { createOperatorAlerts, type OperatorAlerts } from "../notify/operator-alerts.ts";
import { createOperatorWebhook } from "../notify/operator-webhook.ts";
import type { AppOptions } from "./options.ts";
import type { Loop, Part } from "../lib/rounds.ts";
import type { Storage } from "./storage.ts";

export interface MessagesPart extends Part {
  /** `null` when the operator has not set up e-mail. */
  readonly mail: Pick<Loop, "nudge"> | null;
  readonly channels: ChannelsPort;
}

export interface ChannelsPort extends Pick<Loop, "nudge"> {
  /** Sends one test now. `null` when the account could not be confirmed in time. */
  test(wanted: TestChannel): Promise<TestedChannel | null>;
}

export interface MessagesParams {
  readonly options: AppOptions;
  readonly storage: Storage;
  readonly delivery: DeliveryContext;
  readonly publicUrl: () => string;
}

export function createMessagesPart(params: MessagesParams): MessagesPart {
  const mail = createEmail(params);
  const post = createChannelPost(params);
  const channels = createChannels(params, post);
  const all = [mail, channels, createAlerts(params)].filter((each) => each !== null);
  return {
    mail,
    channels: { nudge: channels.nudge, test: (wanted) => testChannel(post, wanted) },
    start() {
      for (const each of all) each.start();
    },
    async stop() {
      await Promise.all(all.map((each) => each.stop()));
    },
  };
}

function createEmail({ options, storage, delivery, publicUrl }: MessagesParams): Loop | null {
  const { config } = options;
  const { smtpUrl: atStart } = config;
  if (atStart === null) return null;
  const { store, clock, random, sealer } = storage;
  return createEmailLoop({
    store,
    clock,
    random,
    sealer,
    mailer: createMailer({
      get smtpUrl() {
        return config.smtpUrl ?? atStart;
      },
      from: config.mailFrom,
    }),
    publicUrl,
    onFailure: (what, error) => delivery.report.failed({ what, error }),
    onNoMailbox: (accountId) => options.log.warn({ account_id: accountId }, "notice.no_mailbox"),
  });
}

type ChannelPost = ChannelPostContext & Pick<Storage, "random">;

/** On the way of tests: signed with the secrets that are valid when the first byte goes out. */
function createChannelPost({ storage, delivery, publicUrl }: MessagesParams): ChannelPost {
  const { clock, random, sealer } = storage;
  const sendAs: ChannelPost["sendAs"] = async (accountId, build) => {
    const untilMs = clock.monotonicMs() + LIMITS.attemptDeadlineMs;
    const sent = await sendCurrent(delivery, {
      accountId,
      configVersion: 0,
      build: ({ secrets }) => ({ request: build(secretsAt(secrets, clock.nowMs())) }),
      isTooLate: () => clock.monotonicMs() > untilMs,
    });
    return sent?.result ?? null;
  };
  return { clock, random, sealer, names: delivery.names, publicUrl, sendAs };
}

function createChannels({ options, storage, delivery }: MessagesParams, post: ChannelPost): Loop {
  return createChannelLoop({
    ...post,
    store: storage.store,
    onRefused: ({ accountId, channelId, met }) =>
      options.log.info({ account_id: accountId, channel_id: channelId, met }, "channel.refused"),
    onFailure: (what, error) => delivery.report.failed({ what, error }),
  });
}

/** `null` when the operator has not set up a webhook. */
function createAlerts({ options, storage, delivery }: MessagesParams): OperatorAlerts | null {
  const { config } = options;
  const { operatorWebhookUrl: urlAtStart, operatorWebhookSecret: secretAtStart } = config;
  if (urlAtStart === null || secretAtStart === null) return null;
  const { store, clock, random } = storage;
  return createOperatorAlerts({
    store,
    clock,
    random,
    webhook: createOperatorWebhook({
      get url() {
        return config.operatorWebhookUrl ?? urlAtStart;
      },
      get secret() {
        return config.operatorWebhookSecret ?? secretAtStart;
      },
      names: delivery.names,
      clock,
    }),
    node: `${hostname()}:${process.pid}`,
    onFailure: (what, error) => delivery.report.failed({ what, error }),
  });
}
