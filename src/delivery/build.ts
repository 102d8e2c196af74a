/**
 * Step 1 of an attempt, and of a test alike: which bytes this webhook sends, and the request around them. Webhooks that
 * send the event send the body that was stored when it was accepted. Others get theirs here, right before it goes out.
 */
import type { SendResult } from "../domain/attempt.ts";
import type { BodySettings } from "../domain/body.ts";
import { testWebhookId } from "../domain/delivery.ts";
import type { Target } from "../domain/destination.ts";
import type { DeliveryContext } from "./context.ts";
import type { DeliveryOfBody, MadeBody } from "./made-bodies.ts";
import { buildRequest, requestWithoutBody, type WebhookRequest } from "./send/request.ts";

export interface Built<To extends Target> {
  readonly request: WebhookRequest;
  readonly target: To;
  readonly startedAtMs: number;
  /** `null`: the event itself is sent, or nothing. */
  readonly made: MadeBody | null;
  /** The attempt's result where the body could not be made. */
  readonly unsent: SendResult | null;
}

type Context = Pick<DeliveryContext, "bodies" | "clock" | "names">;

/** `full`: there is no capacity for its body yet. `ctx.bodies.release` must follow. */
export function build<To extends Target>(
  ctx: Context,
  delivery: DeliveryOfBody,
  { settings, target }: { readonly settings: BodySettings; readonly target: To },
): Built<To> | "full" {
  if (settings.body === "event") return around(ctx, delivery, { target, body: delivery.body, made: null });
  const made = ctx.bodies.make(settings, delivery);
  if (made === "full") return made;
  if (made.ok) return around(ctx, delivery, { target, body: made.value.body, made: made.value });
  const startedAtMs = ctx.clock.nowMs();
  const unsent = { outcome: { kind: "body_error", message: made.error.message }, ...NOT_SENT } as const;
  return { request: requestWithoutBody(target), target, startedAtMs, made: null, unsent };
}

const NO_TIMES = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 };
const NOT_SENT = { timings: NO_TIMES, address: null };

interface Around<To extends Target> extends Pick<Built<To>, "target" | "made"> {
  readonly body: string;
}

function around<To extends Target>(
  { clock, names }: Context,
  { id, isTest, accountId: owner }: DeliveryOfBody,
  { target, body, made }: Around<To>,
): Built<To> {
  const nowMs = clock.nowMs();
  const webhookId = isTest === true ? testWebhookId(id) : id;
  const request = buildRequest({ webhookId, body, target, nowMs, names, owner });
  return { request, target, startedAtMs: nowMs, made, unsent: null };
}
