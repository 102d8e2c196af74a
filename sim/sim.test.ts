import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { systemRandom } from "../src/lib/random.ts";
import { START_MS } from "../test/kit/world/virtual-clock.ts";
import { createAgenda } from "./agenda.ts";
import { createChance } from "./chance.ts";
import { toReport, runTwice, shrink } from "./examine.ts";
import { FAULT_NAMES, parseFaults, makeSwarm } from "./faults.ts";
import type { Mutant } from "./mutant.ts";
import { runSeed } from "./run-seed.ts";
import { type Process, type Simulator, createSimulator } from "./simulator.ts";

test("steps of replays that a move held up go on at one instant, and each is noted by itself", async () => {
  const { breach } = await runSeed({ seed: 1, faults: parseFaults("replay,shards,moves") });
  assert.equal(breach, null);
});

test("the engine keeps every promise in 10 seeds, and each repeats its trace", async () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const run = await runTwice({ seed });
    if (run.breach !== null) assert.fail(toReport(await shrink(run), { found: run.faults }));
  }
});

test("a person may turn on a destination that is on and only held back: it is claimed at once", async () => {
  const faults = parseFaults("client_error,server_error,hang,reset,black_hole,configure,halt,resend,replay,meddle");
  const { breach } = await runSeed({ seed: 541, faults });
  assert.equal(breach, null);
});

test("what became too late behind a request that hung is claimed again at once, not at the lane's pace", async () => {
  const { breach } = await runSeed({ seed: 1145, faults: parseFaults("answer_lost,rate_limited,drip,black_hole") });
  assert.equal(breach, null);
});

test("moves whose processes stand still or die lose nothing, and leave nothing", async () => {
  // 13: a process that had lost its lock emptied what had arrived; 16: one that was taken back went on copying; 24:
  // attempts of what waited stayed behind; 60: an account that was put while it moved was made anew.
  const lost = parseFaults("shards,moves,mover_lost");
  const faults = [...lost, ...parseFaults("crash,reply_lost,server_error,repeat,configure,halt,resend,replay,meddle")];
  const found = [await runSeed({ seed: 16, faults: lost })];
  for (const seed of [13, 24]) found.push(await runSeed({ seed, faults }));
  found.push(await runSeed({ seed: 60, faults: parseFaults("shards,moves,server_error,configure,halt,resend") }));
  for (const run of found) assert.equal(run.breach, null);
});

test("chance from outside is noticed by a trace that does not repeat", async () => {
  const mutant: Mutant = { bug: "ids from the system", onContext: (ctx) => ({ ...ctx, random: systemRandom }) };
  const { breach } = await runTwice({ seed: 1, faults: [], mutant });
  assert.equal(breach?.invariant, "a seed repeats its trace");
  assert.match(breach.message, /line \d+ was ".+" and then ".+"/);
});

test("a run without faults sends each delivery once", async () => {
  for (let seed = 1; seed <= 5; seed += 1) {
    const { breach, counts } = await runSeed({ seed, faults: [] });
    assert.equal(breach, null);
    assert.ok(counts.deliveries > 0);
    assert.deepEqual([counts.sends, counts.repeats], [counts.deliveries, 0]);
  }
});

describe("swarm", () => {
  test("exactly the named faults are on, at the seed's own rates", () => {
    const all = makeSwarm(7, FAULT_NAMES);
    const two = makeSwarm(7, ["pause", "crash"]);
    assert.deepEqual(two.faults, ["crash", "pause"]);
    assert.equal(two.rate("crash"), all.rate("crash"));
    assert.equal(two.rate("hang"), 0);
    assert.ok(all.rate("hang") > 0);
  });

  test("a seed switches some faults on and leaves others off", () => {
    const counts = Array.from({ length: 200 }, (_, seed) => makeSwarm(seed).faults.length);
    assert.ok(Math.min(...counts) <= 4 && Math.max(...counts) >= 10, `from ${Math.min(...counts)}`);
    assert.ok(Math.max(...counts) < FAULT_NAMES.length);
  });

  test("a list of faults is read, and a wrong one is refused by name", () => {
    assert.deepEqual(parseFaults("crash, reply_lost"), ["crash", "reply_lost"]);
    assert.deepEqual(parseFaults("none"), []);
    assert.deepEqual(parseFaults("all"), FAULT_NAMES);
    assert.throws(() => parseFaults("crash,flood"), /no such fault: flood\. There are: crash, pause/);
  });
});

test("an agenda gives its entries in the order of time, then of chance", () => {
  const chance = createChance(1, "agenda");
  const agenda = createAgenda<{ atMs: number; tie: number }>();
  const entries = Array.from({ length: 500 }, () => ({ atMs: chance.between(0, 40), tie: chance.unit() }));
  for (const entry of entries) agenda.add(entry);
  const taken = entries.map(() => agenda.takeFirst());
  assert.deepEqual(
    taken,
    entries.toSorted((a, b) => a.atMs - b.atMs || a.tie - b.tie),
  );
  assert.equal(agenda.takeFirst(), undefined);
});

describe("the scheduler", () => {
  test("what a dead process waits for never comes; what a paused one waits for comes afterwards", async () => {
    const { sim, happened, note } = scheduler();
    const dead: Process = { isDead: false, pausedUntilMs: 0 };
    const paused: Process = { isDead: false, pausedUntilMs: START_MS + 500 };
    sim.after(10, dead, note("dead"));
    sim.after(20, paused, note("paused"));
    sim.after(5, null, () => (dead.isDead = true));
    await sim.run(() => false);
    assert.deepEqual(happened, ["paused at 500"]);
  });

  test("time leaps over idle timers after a quiet while, never over anything else", async () => {
    const { sim, happened, note } = scheduler();
    const process: Process = { isDead: false, pausedUntilMs: 0 };
    const idle = () => void sim.timer(250, process, idle);
    idle();
    sim.timer(3_000, process, note("a timer that means something"));
    sim.after(86_400_000, null, note("the next day"));
    await sim.run(() => happened.length === 2);
    assert.deepEqual(happened, ["a timer that means something at 3000", "the next day at 86400000"]);
    assert.ok(sim.events() < 30, `${sim.events()} events`);
  });

  test("an event begins when the promises of the one before have settled", async () => {
    const { sim, happened, note } = scheduler();
    sim.after(1, null, () => void severalTurns(100).then(note("settled")));
    sim.after(1, null, () => void severalTurns(100).then(note("settled")));
    sim.after(2, null, note("next"));
    await sim.run(() => false);
    assert.deepEqual(happened, ["settled at 1", "settled at 1", "next at 2"]);
  });
});

function scheduler() {
  const happened: string[] = [];
  const sim: Simulator = createSimulator({ chance: createChance(1, "order"), wakeAtMs: () => Infinity });
  const note = (what: string) => () => void happened.push(`${what} at ${sim.nowMs() - START_MS}`);
  return { sim, happened, note };
}

async function severalTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}
