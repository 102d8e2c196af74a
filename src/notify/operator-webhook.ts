/**
 * Sends one alert to the operator as one HTTP request, built and signed like any webhook and sent by the same code. A
 * status from 200 to 299 means that it was taken.
 *
 * The address is the operator's own setting, so the guard for owners' addresses does not check it, and no proxy is
 * used: it usually leads to a machine inside.
 */
import { buildRequest, type RequestNames } from "../delivery/send/request.ts";
import { createSender } from "../delivery/send/send.ts";
import type { Outcome, SendResult } from "../domain/attempt.ts";
import { createTrustedGuard } from "../egress/create-guard.ts";
import type { Clock } from "../lib/clock.ts";

export interface OperatorWebhook extends AsyncDisposable {
  /** Never rejects, and ends by the deadline of any attempt. */
  send(message: OperatorMessage): Promise<SendResult>;
}

export interface OperatorMessage {
  /** The same on every attempt, so that the receiver can recognise repeats. */
  readonly webhookId: string;
  readonly body: string;
}

export interface OperatorWebhookOptions {
  /** Both are read again for each alert. */
  readonly url: string;
  readonly secret: string;
  readonly names: RequestNames;
  readonly clock: Clock;
}

/** One receiver, one pool of sockets. */
const LANE = "operator";

export function createOperatorWebhook(options: OperatorWebhookOptions): OperatorWebhook {
  const { names, clock } = options;
  const sender = createSender({ guard: createTrustedGuard(clock), clock });
  return {
    send(message) {
      const { url, secret } = options;
      const target = { destinationId: LANE, url: new URL(url), headers: [], secrets: [secret] };
      return sender.send(buildRequest({ ...message, target, nowMs: clock.nowMs(), names, owner: LANE }));
    },
    [Symbol.asyncDispose]: () => sender.close(),
  };
}

export function isTaken({ outcome }: SendResult): boolean {
  return outcome.kind === "response" && outcome.response.status >= 200 && outcome.response.status <= 299;
}

/** The outcome in a few words, for the log and for people, without any part of the URL. */
export function metWords(outcome: Outcome): string {
  switch (outcome.kind) {
    case "response":
      return `status ${outcome.response.status}`;
    case "timeout":
      return `no answer in time (${outcome.phase})`;
    case "dns_error":
    case "tls_error":
    case "network_error":
    case "proxy_error":
    case "token_error":
      return `${outcome.kind.replaceAll("_", " ")} ${outcome.code}`;
    case "blocked":
    case "body_error":
    case "internal_error":
      return outcome.kind.replaceAll("_", " ");
  }
}
