/** The loads of the path's bench, each to 8 destinations. */
import { ACCOUNT, type Running } from "../../test/kit/process/running.ts";
import type { ToLoad } from "../load.ts";
import { demoName } from "../record.ts";
import type { Rig, Send } from "../rig.ts";

export const DESTINATIONS = 8;

/** One for each destination, at the rig's receiver. */
export const alertsTo = ({ port }: Rig) =>
  Array.from({ length: DESTINATIONS }, (_, number) => ({
    url: `http://127.0.0.1:${port}/in/${number}`,
    demos: [demoName(number)],
  }));

export interface PathLoad {
  readonly name: string;
  /** Records a request. */
  readonly batch: number;
  readonly connections: number;
  /** `null`: the next request when an answer is there. */
  readonly ratePerSecond: number | null;
  /** The least size of a record of the declared type. */
  readonly bodyBytes?: number;
}

export const BUSY: PathLoad = { name: "single posts over 64", batch: 1, connections: 64, ratePerSecond: null };

/** Little load comes first: what a busy phase leaves behind would be counted in it. */
export const LOADS: readonly PathLoad[] = [
  { name: "100 posts/s", batch: 1, connections: 64, ratePerSecond: 100 },
  { name: "500 posts/s", batch: 1, connections: 64, ratePerSecond: 500 },
  BUSY,
  { name: "single posts over 256", batch: 1, connections: 256, ratePerSecond: null },
  { name: "NDJSON of 50 over 8", batch: 50, connections: 8, ratePerSecond: null },
];

/** Bodies of so many KiB, which are no more than the service takes at a time. */
export const largeBodies = (kib: number): PathLoad => ({
  name: `${kib} KiB over 16`,
  batch: 1,
  connections: 16,
  ratePerSecond: null,
  bodyBytes: kib * 1024,
});

/** Whom the records are for, and what they are. */
export type Target = Pick<ToLoad, "accounts" | "destinations" | "types">;

export const SESSIONS: Target = { accounts: [ACCOUNT], destinations: DESTINATIONS };

interface To extends PathLoad {
  /** `SESSIONS`, unless given. */
  readonly target?: Target;
}

export function sendTo(
  rig: Rig,
  node: Pick<Running, "url" | "apiKey">,
  { batch, connections, ratePerSecond, bodyBytes, target: to = SESSIONS }: To,
): Send {
  const target = { ...to, apiKey: node.apiKey, ports: [Number(new URL(node.url).port)] };
  return (durationMs, firstSequence) => {
    const sized = bodyBytes === undefined ? {} : { bodyBytes };
    const job = { ...target, ...sized, batch, connections, firstSequence, durationMs };
    const load: ToLoad = ratePerSecond === null ? { kind: "closed", ...job } : { kind: "open", ...job, ratePerSecond };
    return rig.load.ask(load);
  };
}
