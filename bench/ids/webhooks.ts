/** Webhooks as the rows of the store have them; the same again for each layout. */
import { newId } from "../../src/domain/id.ts";
import type { Random } from "../../src/lib/random.ts";
import { shortenBody } from "../../src/store/kept-body.ts";
import { createSeededRandom } from "../../test/kit/world/seeded-random.ts";
import { bodyText } from "../record.ts";

export interface Webhook {
  /** The event's; its delivery's is one more. */
  readonly n: number;
  readonly eventId: string;
  readonly deliveryId: string;
  readonly destinationId: string;
  readonly destinationN: number;
  readonly atMs: number;
  /** The session's own id. */
  readonly source: Uint8Array;
  readonly body: string;
  readonly detail: string;
  readonly headers: string;
  readonly answer: Uint8Array;
}

const DESTINATIONS = 8;
const FIRST_MS = 1_790_000_000_000;
/** As on a node that is busy. */
const EVENTS_A_MS = 10;

const BODY = shortenBody(bodyText(1));
const DETAIL = `["http://127.0.0.1:41234/in/3","J${"x".repeat(60)}","127.0.0.1",null,null,null,0.75]`;
const HEADERS = "J00000000-0000";
const ANSWER = new Uint8Array(2);

export interface Webhooks {
  next(count: number): Webhook[];
}

export function createWebhooks(): Webhooks {
  const random = createSeededRandom(11);
  const destinations = Array.from({ length: DESTINATIONS }, () => newId("dst", FIRST_MS, random));
  let made = 0;
  const next = () => toWebhook(made++, { random, destinations });
  return { next: (count) => Array.from({ length: count }, next) };
}

interface Making {
  readonly random: Random;
  readonly destinations: readonly string[];
}

function toWebhook(place: number, { random, destinations }: Making): Webhook {
  const atMs = FIRST_MS + Math.floor(place / EVENTS_A_MS);
  const destination = Math.floor(random.unit() * DESTINATIONS);
  return {
    n: 1 + 2 * place,
    eventId: newId("evt", atMs, random),
    deliveryId: newId("dlv", atMs, random),
    destinationId: destinations[destination] ?? "",
    destinationN: destination + 1,
    atMs,
    source: random.bytes(16),
    body: BODY,
    detail: DETAIL,
    headers: HEADERS,
    answer: ANSWER,
  };
}
