/** The store's calls for webhooks that succeed at once, as the engine makes them: an accept and a settlement each. */
import { createHash } from "node:crypto";
import type { AttemptRecord } from "../../src/domain/attempt.ts";
import { namesWanted, writeNotSent } from "../../src/domain/not-sent.ts";
import type { Call } from "../../src/store/calls.ts";
import { ACCOUNT, ADA, makeAttempt, makeSettlement, T0, uuid } from "../../src/store/conformance/world.ts";
import { sessionRecord } from "../kit/process/records.ts";
import { demoViewed } from "../../src/events/demo-viewed.ts";
import { makeDestinationSetup, makeNewDelivery } from "../kit/make.ts";

const CLAIM = { token: "nod_0123456789abcdef", untilMs: T0 + 60_000 };

/** A session's usual body. */
const SAMPLE_BODY = buildBody(sessionRecord(uuid(0), { name: "Demo 0" }));
const BODY_CHARS = SAMPLE_BODY.length;

function buildBody(recordText: string): string {
  const parsed = demoViewed.parse(recordText);
  if (!parsed.ok) throw new Error(parsed.error.detail);
  return parsed.value.buildBody({ appUrl: "https://app.example.com" });
}

/** Different ones, as in life: an id in each body. */
const makeBody = (id: string): string => SAMPLE_BODY.replaceAll(uuid(0), id);

const toId = (prefix: "evt" | "dlv", n: number): string => `${prefix}_01m7wdafa0${String(n).padStart(16, "0")}`;

/** An account with a chat assistant whose webhook is healthy: what all webhooks of the count go to. */
export function setUpCalls<Columns>({ oneAtATime = false } = {}): readonly Call<Columns>[] {
  const accountId = ACCOUNT.id;
  const destination = { ...makeDestinationSetup({ id: "dst_1", url: "https://receiver.example/hook" }), oneAtATime };
  const change = { accountId, assistantId: "bot", expectedRevision: 1, by: ADA, nowMs: T0 };
  return [
    { verb: "putAccount", params: { account: ACCOUNT, newSealedSecret: "sealed", nowMs: T0 } },
    {
      verb: "putChatAssistant",
      params: { accountId, assistant: { id: "bot", name: "Ada" }, rename: false, nowMs: T0 },
    },
    { verb: "saveAssistantDestination", params: { ...change, destination } },
  ];
}

const WEBHOOKS_LEFT_OUT = 7;

/** Events of eight demos, each of which fires one of eight alerts, as in `bench/path.ts`. */
function writeLeftOut(n: number): string | null {
  const demos = Array.from({ length: WEBHOOKS_LEFT_OUT + 1 }, (_, place) => place);
  const others = demos.filter((demo) => demo !== n % demos.length);
  const webhooks = others.map((demo) => ({
    destinationId: `dst_01m7wdafa0${String(demo).padStart(16, "0")}`,
    reason: namesWanted("demos", [`Demo ${demo}`]),
  }));
  return writeNotSent({ webhooks, more: 0 });
}

export interface Webhooks {
  /** The number of the first one; no two counts may share one. */
  readonly first: number;
  readonly count: number;
  /** Each event says of seven other webhooks why it did not go there. */
  readonly leavesOut?: boolean;
  /** They have sent bodies that were made of a template. */
  readonly isMade?: boolean;
  /** They wait, because the node has no room for them. */
  readonly waits?: boolean;
}

export function acceptCalls<Columns>(
  { first, count, leavesOut = false, waits = false }: Webhooks,
  configVersion: number,
): readonly Call<Columns>[] {
  return Array.from({ length: count }, (_, place) => {
    const n = first + place;
    const deliveries = [makeNewDelivery({ id: toId("dlv", n), destinationId: "dst_1", claimed: !waits })];
    const source = { type: "chat_conversation_completed", sourceId: uuid(n), assistantId: "bot" } as const;
    const notSent = leavesOut ? writeLeftOut(n) : null;
    const told = { ...source, body: makeBody(uuid(n)), notSent };
    const event = { id: toId("evt", n), accountId: ACCOUNT.id, configVersion, ...told };
    return { verb: "acceptEvents", params: { nowMs: T0, claim: CLAIM, events: [{ ...event, deliveries }] } };
  });
}

/** Brings the one whose turn it is. */
export const claimCall = <Columns>(): Call<Columns> => ({
  verb: "claimDueDeliveries",
  params: {
    nowMs: T0,
    claim: CLAIM,
    deliveriesMax: 100,
    perDestinationMax: 100,
    perAccountMax: 100,
    accountSlots: {},
    freeSlots: {},
    bodyCharsMax: 10 ** 6,
  },
});

/** With the headers that a webhook and a receiver's answer have. */
function makeLifelike(deliveryId: string): AttemptRecord {
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64");
  const headers = { date: "Sun, 22 Nov 2026 12:00:00 GMT", connection: "keep-alive", "keep-alive": "timeout=5" };
  const response = { status: 200, headers, body: new TextEncoder().encode("ok"), bodyCut: false };
  const attempt = makeAttempt(1, { outcome: { kind: "response", response } });
  const requestHeaders = {
    "content-type": "application/json",
    "content-length": String(BODY_CHARS),
    "user-agent": "Bellwire/1.0.0",
    "x-service-signature": sha256(deliveryId),
    "webhook-id": deliveryId,
    "webhook-timestamp": String(T0 / 1000),
    "webhook-signature": `v1,${sha256(`signed ${deliveryId}`)}`,
  };
  return { ...attempt, requestHeaders };
}

const SENT = { textId: "0f".repeat(16), sha256: "ab".repeat(32) };

export function settleCalls<Columns>(
  { first, count, isMade = false }: Webhooks,
  packAttempt: (attempt: AttemptRecord) => Columns,
): readonly Call<Columns>[] {
  return Array.from({ length: count }, (_, place) => {
    const settlement = makeSettlement(toId("dlv", first + place), { claimToken: CLAIM.token });
    const attempt = { ...makeLifelike(settlement.deliveryId), ...(isMade ? { sent: SENT } : {}) };
    const packed = { ...settlement, attempt: packAttempt(attempt) };
    return { verb: "settleAttemptsIfClaimed", params: { nowMs: T0, settlements: [packed] } };
  });
}
