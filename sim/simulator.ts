/**
 * The scheduler: virtual time, and one event after the other. Every port of every node (timer, store verb, request)
 * returns only when an event of this agenda lets it, so a seed decides the order of everything.
 *
 * Invariant: an event starts when every promise that the one before could settle has settled. What a dead process was
 * waiting for never comes; what a paused one waits for comes when its pause is over.
 */
import type { CancelTimer } from "../src/lib/clock.ts";
import { START_MS } from "../test/kit/world/virtual-clock.ts";
import { type Entry, createAgenda, isBefore } from "./agenda.ts";
import type { Chance } from "./chance.ts";

/** One life of a node, as the machine sees it. */
export interface Process {
  isDead: boolean;
  pausedUntilMs: number;
}

export interface Simulator {
  /** True time. A node's clock may say something else. */
  nowMs(): number;
  /** Does `action` after `delayMs`, unless `process` is dead by then. `null`: the world outside the processes. */
  after(delayMs: number, process: Process | null, action: () => void): void;
  /** A timer that a process has set itself. */
  timer(delayMs: number, process: Process, fire: () => void): CancelTimer;
  /** Something happened that is not idling: the next leap waits. */
  noteActivity(): void;
  activityMs(): number;
  /** Nothing is under way or to come, save idle timers. */
  isIdle(): boolean;
  /** Events that have happened. */
  events(): number;
  /** Runs until `isDone` says so, or until nothing is left to happen (then false). */
  run(isDone: () => boolean | Promise<boolean>): Promise<boolean>;
}

export interface SimulatorOptions {
  /** Decides between events of one instant. */
  readonly chance: Chance;
  /** The next instant at which an idle engine has something to do; time leaps there instead of ticking days away. */
  readonly wakeAtMs: () => number;
}

/** The engine's tick. Timers up to here are idling; a longer one means something, and time does not leap over it. */
const IDLE_TIMER_MS_MAX = 250;

/** Time leaps only after so long a quiet, in which each node has looked for work twice in vain. */
const QUIET_MS = 700;

/** A leap ends this long before the instant that it is for, so that ticking is normal again by then. */
const LEAP_MARGIN_MS = 300;

interface Event extends Entry {
  readonly process: Process | null;
  readonly action: () => void;
  isCancelled: boolean;
}

export function createSimulator({ chance, wakeAtMs }: SimulatorOptions): Simulator {
  const main = createAgenda<Event>();
  const idle = createAgenda<Event>();
  let nowMs = START_MS;
  let activityMs = START_MS;
  let events = 0;

  function entryAt(atMs: number, process: Process | null, action: () => void): Event {
    return { atMs, tie: chance.unit(), process, action, isCancelled: false };
  }

  function take(): Event | undefined {
    const first = main.first();
    const idling = idle.first();
    if (idling === undefined || (first !== undefined && isBefore(first, idling))) return main.takeFirst();
    if (nowMs - activityMs >= QUIET_MS) leapTo(Math.min(first?.atMs ?? Infinity, wakeAtMs()) - LEAP_MARGIN_MS);
    return idle.takeFirst();
  }

  /** The idle timers on the way fire late: to a process the machine looks as if it had slept. */
  function leapTo(atMs: number): void {
    if (Number.isFinite(atMs)) nowMs = Math.max(nowMs, atMs);
  }

  /** True when something was done that promises may have waited for. */
  function happen(event: Event): boolean {
    nowMs = Math.max(nowMs, event.atMs);
    const { process } = event;
    if (isVoid(event)) return false;
    if (process !== null && process.pausedUntilMs > nowMs) {
      main.add(Object.assign(event, { atMs: process.pausedUntilMs, tie: chance.unit() }));
      return false;
    }
    events += 1;
    event.action();
    return true;
  }

  return {
    nowMs: () => nowMs,
    after: (delayMs, process, action) => main.add(entryAt(nowMs + delayMs, process, action)),
    timer(delayMs, process, fire) {
      const event = entryAt(nowMs + delayMs, process, fire);
      (delayMs <= IDLE_TIMER_MS_MAX ? idle : main).add(event);
      return () => {
        event.isCancelled = true;
      };
    },
    noteActivity: () => {
      activityMs = nowMs;
    },
    activityMs: () => activityMs,
    isIdle() {
      for (let first = main.first(); first !== undefined && isVoid(first); first = main.first()) main.takeFirst();
      return main.first() === undefined;
    },
    events: () => events,
    async run(isDone) {
      // Promises that the caller has just set going come first.
      await promisesSettled();
      while (!(await isDone())) {
        const event = take();
        if (event === undefined) return false;
        if (happen(event)) await promisesSettled();
      }
      return true;
    },
  };
}

const isVoid = ({ isCancelled, process }: Event): boolean => isCancelled || process?.isDead === true;

/** Node runs every settled promise's continuation before the next immediate: 1 µs here. */
function promisesSettled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
