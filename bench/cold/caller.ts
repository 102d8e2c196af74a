/**
 * A process of the cold bench that makes calls at a fixed rate, to one destination after another: posts records to the
 * service, or sends the webhooks itself, by undici alone or by Bellwire's own sender without the rest of the service.
 */
import { Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { Agent, type Dispatcher, buildConnector } from "undici";
import { type Sender, createSender } from "../../src/delivery/send/send.ts";
import { createAddressPolicy } from "../../src/egress/address-policy.ts";
import { createEgressGuard } from "../../src/egress/guard.ts";
import { nameServers } from "../../src/egress/name-sources.ts";
import { parseEgressAllow } from "../../src/egress/parse-networks.ts";
import { createResolver } from "../../src/egress/resolver.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { conversationRecord } from "../../test/kit/process/records.ts";
import { type Caller, openCaller } from "../caller.ts";
import { ASSISTANT, findAccount } from "../many-destinations.ts";
import { type Template, bodyText, putSequence, toTemplate, webhookHeaders } from "../record.ts";
import { findDestination, toHost, type Order } from "./order.ts";

export interface ToColdCaller {
  readonly kind: "service" | "sender" | "undici";
  /** The service's, or the receiver's. */
  readonly port: number;
  readonly isTls: boolean;
  readonly apiKey: string;
  readonly nameServer: string;
  readonly order: Order;
  readonly calls: number;
  readonly ratePerSecond: number;
  /** The number of the first record. */
  readonly first: number;
}

/** The time that it took in all, and the most calls that were in flight at once. */
export interface FromColdCaller {
  readonly tookMs: number;
  readonly inFlightMax: number;
}

/** Calls beyond these wait: a service that cannot keep up gets fewer a second. */
const IN_FLIGHT_MAX = 64;
/** Calls are released in small bursts: a timer a call would be part of what is measured. */
const RELEASE_EVERY_MS = 5;
const TEMPLATE_ID = "00000000-0000-4000-8000-000000000000";
/** Seconds; as long as the service keeps a name's address at most. */
const NAME_KEPT_MS = 60_000;

type Call = (destination: number, sequence: number) => Promise<void>;

let call: Call | null = null;
process.on("message", (job: ToColdCaller) => {
  void run(job).then((done) => process.send?.(done));
});
process.on("disconnect", () => process.exit(0));

async function run(job: ToColdCaller): Promise<FromColdCaller> {
  call ??= await openCall(job);
  return await release(job, call);
}

function openCall(job: ToColdCaller): Promise<Call> | Call {
  if (job.kind === "service") return postToService(job);
  return job.kind === "undici" ? sendByUndici(job) : sendBySender(job);
}

function release({ order, calls, ratePerSecond, first }: ToColdCaller, make: Call): Promise<FromColdCaller> {
  const { promise, resolve, reject } = Promise.withResolvers<FromColdCaller>();
  const startedMs = performance.now();
  let [started, inFlight, ended, inFlightMax] = [0, 0, 0, 0];
  const end = () => {
    inFlight -= 1;
    ended += 1;
    if (ended === calls) resolve({ tookMs: performance.now() - startedMs, inFlightMax });
  };
  const timer = setInterval(() => {
    const due = Math.min(calls, Math.floor(((performance.now() - startedMs) * ratePerSecond) / 1000));
    while (started < due && inFlight < IN_FLIGHT_MAX) {
      const sequence = first + started;
      started += 1;
      inFlight += 1;
      inFlightMax = Math.max(inFlightMax, inFlight);
      make(findDestination(order, sequence), sequence).then(end, reject);
    }
    if (started === calls) clearInterval(timer);
  }, RELEASE_EVERY_MS);
  return promise;
}

async function postToService({ port, apiKey }: ToColdCaller): Promise<Call> {
  const idle = await Promise.all(Array.from({ length: IN_FLIGHT_MAX }, () => openCaller(port)));
  const record = conversationRecord(TEMPLATE_ID, ASSISTANT);
  return (destination, sequence) => {
    const head =
      `POST /v1/accounts/${findAccount(destination)}/chat-conversations HTTP/1.1\r\nhost: 127.0.0.1\r\n` +
      `authorization: Bearer ${apiKey}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(record)}\r\n\r\n`;
    const template: Template = toTemplate(head, [record]);
    putSequence(template, 0, sequence);
    const caller = idle.pop() as Caller;
    return new Promise((resolve, reject) => {
      caller.send(template.bytes, (status, answer) => {
        idle.push(caller);
        if (status === 202) resolve();
        else reject(new Error(`the service answered ${status}: ${answer.toString("utf8").slice(0, 500)}`));
      });
    });
  };
}

/**
 * One client for each origin, as its Agent makes them, with one connector for all, so that TLS sessions outlive their
 * client. Names by the same name server, kept as long as ours.
 */
function sendByUndici({ port, isTls, nameServer, order }: ToColdCaller): Call {
  const lookup = createLookup(nameServer);
  const connect = buildConnector({ lookup, allowH2: false, maxCachedSessions: order.destinations });
  const agent = new Agent({ connections: 1, allowH2: false, connect });
  const request = makeRequest();
  return (destination) =>
    new Promise((resolve, reject) => {
      const origin = `${isTls ? "https" : "http"}://${toHost(destination)}:${port}`;
      agent.dispatch({ ...request, origin, path: `/in/${destination}` }, handler(resolve, reject));
    });
}

function makeRequest() {
  const body = Buffer.from(bodyText(0));
  const headers = webhookHeaders(body.length);
  return { method: "POST", headers, body } as const;
}

function handler(onEnd: () => void, onError: (error: Error) => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart() {},
    onResponseStart() {},
    onResponseData() {},
    onResponseEnd: onEnd,
    onResponseError: (_controller, error) => onError(error),
  };
}

function createLookup(nameServer: string): LookupFunction {
  const resolver = openResolver(nameServer);
  const known = new Map<string, { readonly address: string; readonly untilMs: number }>();
  return (name, options, callback) => {
    const reply = (address: string) =>
      options.all === true ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4);
    const kept = known.get(name);
    if (kept !== undefined && performance.now() < kept.untilMs) return process.nextTick(reply, kept.address);
    const keep = ([address = ""]: readonly string[]) => {
      known.set(name, { address, untilMs: performance.now() + NAME_KEPT_MS });
      reply(address);
    };
    resolver.resolve4(name).then(keep, (error: Error) => callback(error, ""));
  };
}

function openResolver(nameServer: string): Resolver {
  const resolver = new Resolver();
  resolver.setServers([nameServer]);
  return resolver;
}

function sendBySender({ port, isTls, nameServer }: ToColdCaller): Call {
  const sender = openSender(nameServer);
  const { body, headers } = makeRequest();
  const request = { headers, maskedHeaders: headers, body: "", bytes: body };
  return async (destination) => {
    const url = new URL(`${isTls ? "https" : "http"}://${toHost(destination)}:${port}/in/${destination}`);
    const { outcome } = await sender.send({ ...request, lane: `dst-${destination}`, owner: `a-${destination}`, url });
    if (outcome.kind !== "response") throw new Error(JSON.stringify(outcome));
  };
}

function openSender(nameServer: string): Sender {
  const allow = parseEgressAllow("127.0.0.0/8");
  if (!allow.ok) throw new Error("the bench's network cannot be read");
  const names = nameServers({ clock: systemClock, dns: openResolver(nameServer) });
  const resolver = createResolver({ clock: systemClock, names });
  const policy = createAddressPolicy({ allow: allow.value, ownAddresses: () => [] });
  return createSender({ guard: createEgressGuard({ policy, resolver }), clock: systemClock });
}
