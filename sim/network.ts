/**
 * The network port of a node: carries requests to the run's receivers. Like the real `send` it never rejects, and it
 * keeps the attempt's deadline itself; a process that stands still notices late.
 */
import type { Outcome, SendResult } from "../src/domain/attempt.ts";
import { LIMITS } from "../src/domain/limits.ts";
import type { DeliveryContext } from "../src/delivery/context.ts";
import type { WebhookRequest } from "../src/delivery/send/request.ts";
import type { Chance } from "./chance.ts";
import type { Swarm } from "./faults.ts";
import type { History } from "./history.ts";
import type { Ledger } from "./ledger/ledger.ts";
import type { Meeting, Receivers } from "./receivers.ts";
import type { ClaimRecord, DeliveryRecord, Life, SendRecord } from "./records.ts";
import type { Simulator } from "./simulator.ts";

export interface NetworkOptions {
  readonly sim: Simulator;
  readonly life: Life;
  readonly receivers: Receivers;
  readonly ledger: Ledger;
  readonly history: History;
  /** Infinite only in a mutant. */
  readonly deadlineMs: number;
  readonly swarm: Swarm;
  readonly chance: Chance;
}

/** A connection that takes longer has failed. */
const CONNECTING_MS_MAX = LIMITS.connectDeadlineMs - 1;

/** Looking a name up and connecting takes no time, or seconds; only then it is asked whether the request may start. */
export function createNetwork(options: NetworkOptions): DeliveryContext["send"] {
  const { sim, life, swarm, chance } = options;
  return (request, mayStart) =>
    new Promise((resolve) => {
      sim.noteActivity();
      const go = () => (mayStart() ? exchange(options, request, resolve) : resolve(null));
      const isSlow = chance.happens(swarm.rate("slow_connect"));
      if (isSlow) sim.after(chance.between(0, CONNECTING_MS_MAX), life, go);
      else go();
    });
}

function exchange(options: NetworkOptions, request: WebhookRequest, resolve: (result: SendResult) => void): void {
  const { sim, life, receivers } = options;
  const send = startSend(options, request);
  const meeting = receivers.meet(request.url.host, sim.nowMs());
  reach(options, send, meeting);
  const deadlineMs = connectsInTime(meeting) ? options.deadlineMs : Math.min(connectMs, options.deadlineMs);
  const endsAfterMs = Math.min(meeting.endsAfterMs, deadlineMs);
  if (endsAfterMs === Infinity) return;
  sim.after(endsAfterMs, life, () => {
    const isLate = meeting.endsAfterMs > deadlineMs;
    resolve(end(options, send, isLate ? { kind: "timeout", phase: meeting.phase } : meeting.outcome));
  });
}

const connectMs = LIMITS.connectDeadlineMs;

/** DNS and connecting have a shorter deadline of their own. */
const connectsInTime = ({ phase }: Meeting): boolean => phase !== "dns" && phase !== "connect";

function startSend({ sim, life, ledger, history }: NetworkOptions, request: WebhookRequest): SendRecord {
  const deliveryId = request.headers["webhook-id"] ?? "";
  const claims = usableClaims(ledger.deliveries.get(deliveryId), life);
  const send: SendRecord = {
    number: ledger.sends.length + 1,
    life,
    deliveryId,
    destinationId: request.lane,
    claim: claims[0] ?? null,
    isClaimGuessed: claims.length > 1,
    request,
    startedAtMs: sim.nowMs(),
    nodeStartedMs: life.nowMs(),
    endedAtMs: null,
    nodeEndedMs: null,
    result: null,
    wasTaken: false,
    settleCalls: 0,
  };
  ledger.addSend(send);
  history.add({ kind: "send_started", send });
  return send;
}

/** Claims that this life knows of and has not sent under yet, the one that is held first. */
function usableClaims(delivery: DeliveryRecord | undefined, life: Life): readonly ClaimRecord[] {
  const used = new Set(delivery?.sends.map(({ claim }) => claim));
  const isUsable = (claim: ClaimRecord) => claim.life === life && claim.isKnown && claim.end !== "released";
  const usable = delivery?.claims.filter((claim) => isUsable(claim) && !used.has(claim)) ?? [];
  return usable.toSorted((one, other) => Number(other === delivery?.claim) - Number(one === delivery?.claim));
}

function reach({ sim, history, deadlineMs }: NetworkOptions, send: SendRecord, meeting: Meeting): void {
  if (meeting.reachesAfterMs === null || meeting.reachesAfterMs > deadlineMs) return;
  sim.after(meeting.reachesAfterMs, null, () => {
    send.wasTaken = meeting.status >= 200 && meeting.status < 300;
    history.add({ kind: "received", send, status: meeting.status });
  });
}

function end({ sim, life, history }: NetworkOptions, send: SendRecord, outcome: Outcome): SendResult {
  const totalMs = sim.nowMs() - send.startedAtMs;
  const timings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs };
  send.result = { outcome, timings, address: "203.0.113.9" };
  send.endedAtMs = sim.nowMs();
  send.nodeEndedMs = life.nowMs();
  history.add({ kind: "send_ended", send });
  sim.noteActivity();
  return send.result;
}
