/** `GET /pull` in the OpenAPI document, which has it while a webhook of the installation is asked. */
import Type, { type TSchema } from "typebox";
import { onlyRefusals, type Operation } from "../intake/operation.ts";
import type { PullAnswer } from "./pull.ts";
import { HOLD_SECONDS, MESSAGES, type Span, WAIT_SECONDS } from "./read-question.ts";

const orNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const pulledMessage = Type.Object({
  id: Type.String({ description: "The same each time that it comes: the key against repeats." }),
  headers: Type.Record(Type.String(), Type.String(), { description: "As a request would have them now." }),
  body: Type.String({ description: "The text whose UTF-8 the signatures cover." }),
});

export const pullAnswer = Type.Object({
  claim: orNull(Type.String(), "What `ack` or `nack` takes; null when there is no message."),
  claim_ends_at: orNull(Type.String({ format: "date-time" }), "What is not acknowledged by then comes again."),
  messages: Type.Array(pulledMessage, { description: "Oldest first." }),
});

const example: PullAnswer = {
  claim: "x3.1795867260000",
  claim_ends_at: "2026-11-28T12:01:00.000Z",
  messages: [
    {
      id: "dlv_06f1x9s3k0a1b2c3d4e5f6g7h8",
      headers: { "content-type": "application/json", "webhook-id": "dlv_06f1x9s3k0a1b2c3d4e5f6g7h8" },
      body: '{"event":"order.paid","id":"A-1001"}',
    },
  ],
};

const parameter = (name: string, rest: object) =>
  ({ name, in: "query", required: false, ...rest }) as unknown as TSchema;

const number = (name: string, { usual, min, max }: Span, description: string) =>
  parameter(name, {
    description,
    schema: Type.Integer({ minimum: min, maximum: max, default: usual }),
    example: usual,
  });

const text = (name: string, description: string) => parameter(name, { description, schema: Type.String() });

const operation: Operation = {
  operationId: "pull",
  summary: "Ask for what waits for a webhook",
  description: "An answer is yours until its claim ends. Asking on with `ack` settles what that claim held.",
  security: [{ pullToken: [] }],
  parameters: [
    number("limit", MESSAGES, "At most this many messages."),
    number("wait", WAIT_SECONDS, "Seconds to wait for a message."),
    number("hold", HOLD_SECONDS, "Seconds for which the messages are yours."),
    text("ack", "The claim whose messages you have dealt with."),
    text("nack", "The claim whose messages you give back; not beside `ack`."),
  ],
  responses: {
    "200": {
      description: "What is due, or nothing.",
      content: { "application/json": { schema: pullAnswer, examples: { answer: { value: example } } } },
    },
    ...onlyRefusals(
      ...(["invalid_parameter", "pull_token_unknown", "too_many_bad_tokens", "too_many_pulls"] as const),
      ...(["pull_claim_lost", "account_suspended", "store_unavailable", "held", "internal_error"] as const),
    ),
  },
};

export const PULL_ROUTE = { method: "GET", path: "/pull", operation } as const;
