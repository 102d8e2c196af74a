/**
 * How a life on a machine goes on and how it ends: by a crash at a port, or by a stop in order as on SIGTERM. Whoever
 * started it is told, and may start the next one.
 */
import { secondsMs } from "../src/lib/duration.ts";
import type { Engine } from "../src/delivery/engine.ts";
import type { Fates, PortCall } from "./fates.ts";
import type { History } from "./history.ts";
import type { Life } from "./records.ts";
import type { Simulator } from "./simulator.ts";

/** The things that outlive a crash: the machine and its clock. */
export interface Machine {
  readonly name: string;
  /** How wrong its clock is. */
  offsetMs: number;
  lives: number;
}

interface Course {
  readonly sim: Simulator;
  readonly history: History;
  readonly fates: Fates;
}

type Ending = (life: Life) => void;

interface Fated {
  readonly machine: Machine;
  readonly life: Life;
  readonly onEnd: Ending;
  readonly stop: () => void;
}

/** Lets happen what the dice say at this call. True when the call is made all the same. */
export function meetFate(
  { fates, history, sim }: Course,
  { machine, life, onEnd, stop }: Fated,
  call: PortCall,
): boolean {
  const fate = fates.draw(call);
  switch (fate.kind) {
    case "none":
      return true;
    case "crash":
      life.isDead = true;
      life.hasCrashed = true;
      history.add({ kind: "life", life, what: "crashed", detail: `${fate.isCallMade ? "after" : "before"} ${call}` });
      onEnd(life);
      return fate.isCallMade;
    case "stop":
      sim.after(0, life, stop);
      return true;
    case "pause":
      life.pausedUntilMs = sim.nowMs() + fate.forMs;
      history.add({ kind: "life", life, what: "paused", detail: `for ${fate.forMs} ms at ${call}` });
      return true;
    case "clock_jump":
      machine.offsetMs = fate.offsetMs;
      history.add({ kind: "life", life, what: "clock_set", detail: `to ${fate.offsetMs} ms off` });
      return true;
  }
}

/** Then a process is ended whatever it is doing, as `app.ts` does. */
const SHUTDOWN_MS = secondsMs(20);

interface Stopping {
  readonly life: Life;
  readonly engine: Engine;
  readonly underWay: ReadonlySet<Promise<unknown>>;
  readonly onEnd: Ending;
}

/** Twice is fine. Lets the accepts under way end first: a caller that is promised an answer gets it. */
export function stopInOrder({ sim, history }: Course, { life, engine, underWay, onEnd }: Stopping): void {
  const end = (hasCrashed: boolean, detail: string) => {
    if (life.isDead) return;
    Object.assign(life, { isDead: true, hasCrashed });
    history.add({ kind: "life", life, what: "stopped", detail });
    onEnd(life);
  };
  if (life.isStopping) return;
  life.isStopping = true;
  sim.noteActivity();
  history.add({ kind: "life", life, what: "stopping", detail: "" });
  void Promise.allSettled(underWay)
    .then(() => engine.stop())
    .then(
      () => end(false, `with ${engine.lanes.load.counts().deliveries} held`),
      // Its deliveries are left to their claims, as after a crash.
      (error: unknown) => end(true, `by ${String(error)}`),
    );
  sim.after(SHUTDOWN_MS, life, () => end(true, "by its deadline"));
}
