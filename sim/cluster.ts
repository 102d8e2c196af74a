/**
 * The machines of a run: starts a node on each, starts the next one when one has ended, and sees to it that every
 * machine is up and on time once the run heals.
 */
import { secondsMs } from "../src/lib/duration.ts";
import type { Machine } from "./life.ts";
import { type Node, type Surroundings, startSimulatedNode } from "./node.ts";

export interface Cluster {
  /** Nodes that take requests. */
  serving(): readonly Node[];
  /** Nodes that are up. */
  up(): readonly Node[];
  /** By how much the clock that is farthest ahead is wrong. */
  clockAheadMs(): number;
  /** Every machine up and on time. */
  heal(): void;
  /** Stops every node, for good. */
  close(): void;
}

export interface ClusterOptions {
  readonly around: Surroundings;
  readonly machines: number;
}

export function createCluster({ around, machines: count }: ClusterOptions): Cluster {
  const { sim, history } = around;
  const chance = around.stream("cluster");
  const machines: Machine[] = "abcde"
    .slice(0, count)
    .split("")
    .map((name) => ({ name, offsetMs: 0, lives: 0 }));
  const nodes = new Map<Machine, Node>();

  let isClosing = false;

  function start(machine: Machine): void {
    const next = () => sim.after(chance.between(secondsMs(0.5), secondsMs(90)), null, () => startUnlessUp(machine));
    nodes.set(machine, startSimulatedNode(around, machine, next));
  }

  function startUnlessUp(machine: Machine): void {
    if (!isClosing && nodes.get(machine)?.life.isDead !== false) start(machine);
  }

  for (const machine of machines) start(machine);

  const up = () => [...nodes.values()].filter(({ life }) => !life.isDead);
  return {
    up,
    serving: () => up().filter(({ life }) => !life.isStopping),
    clockAheadMs: () => Math.max(...machines.map(({ offsetMs }) => offsetMs)),
    heal() {
      for (const machine of machines) {
        const life = nodes.get(machine)?.life;
        // One that is stopping ends soon, and its successor starts.
        if (life?.isDead !== false) start(machine);
        if (machine.offsetMs !== 0 && life !== undefined) {
          machine.offsetMs = 0;
          history.add({ kind: "life", life, what: "clock_set", detail: "right" });
        }
      }
    },
    close() {
      isClosing = true;
      for (const node of up()) node.stop();
    },
  };
}
