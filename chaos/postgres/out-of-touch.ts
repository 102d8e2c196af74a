/**
 * The common part of the scenarios in which a node is out of touch for longer than a lease and knows nothing of it: the
 * others take over what it held, and when it is back it takes its part again, without a restart.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { sessionRecord } from "../../test/kit/process/records.ts";
import { eventually, pause } from "../../test/kit/wait.ts";
import { countOpenClaims } from "./claim-book.ts";
import type { Node } from "./node.ts";
import { type Conclusion, type Scene, concludeNodes, metric, underLoad } from "./scene.ts";
import { inFullSwing } from "../under-load.ts";

/** Everything on its way to the database is there after this. */
const WRITTEN_MS = 1_000;
/** A claim is 60 s; more than that, and the time to notice, would be a fault of ours. */
const CLAIM_MS_MAX = 90_000;
const ASK_AGAIN_MS = 1_000;
const READY_MS_MAX = 30_000;

export interface Absence {
  /** From now on the node is out of touch. */
  begin(): void;
  /** Looks at the node while it is. */
  during?(node: Node): Promise<void>;
  end(): void;
}

export interface Absent {
  readonly found: Conclusion;
  readonly awayMs: number;
  readonly heldBefore: number;
  /** Attempts whose results the node could not write any more, because its claims were gone. */
  readonly refused: number;
}

/** The first node of the scene is the one. */
export async function outlastClaims(scene: Scene, absence: Absence): Promise<Absent> {
  const [node] = scene.nodes;
  assert.ok(node !== undefined);
  await inFullSwing(scene, 100);
  const { fromMs, heldBefore } = await goAwayHolding(scene, node, absence);
  await absence.during?.(node);
  await untilTakenOver(scene, node);
  absence.end();
  const toMs = Date.now();
  scene.troubles.push({ holder: node.holder(), fromMs, toMs });
  await untilItTakesPart(scene, node);
  const refused = await metric(node, "bellwire_claims_lost_total");
  const found = await concludeNodes(scene);
  assert.ok(found.ranOut >= heldBefore, `${heldBefore} claims were held and ${found.ranOut} have run out`);
  assert.equal(found.afterRunOut, found.duplicates, "sent twice after an attempt that failed");
  return { found, awayMs: toMs - fromMs, heldBefore, refused };
}

/** It may have nothing in its hands at that moment: then it is back at once and goes away again. */
async function goAwayHolding(scene: Scene, node: Node, { begin, end }: Absence) {
  for (let tries = 1; ; tries += 1) {
    const fromMs = Date.now();
    begin();
    await underLoad(scene, WRITTEN_MS);
    const heldBefore = await countOpenClaims(scene.cluster, scene.database, node.holder());
    if (heldBefore > 0) return { fromMs, heldBefore };
    assert.ok(tries < TRIES_MAX, "it held nothing whenever it went away: nothing would be shown");
    end();
    scene.troubles.push({ holder: node.holder(), fromMs, toMs: Date.now() });
    await inFullSwing(scene, 100);
  }
}

const TRIES_MAX = 10;

async function untilTakenOver(scene: Scene, node: Node): Promise<void> {
  const startedMs = performance.now();
  while ((await countOpenClaims(scene.cluster, scene.database, node.holder())) > 0) {
    assert.ok(performance.now() - startedMs < CLAIM_MS_MAX, "a claim that nobody takes over");
    await underLoad(scene, ASK_AGAIN_MS);
  }
}

async function untilItTakesPart(scene: Scene, node: Node): Promise<void> {
  const isReady = async () => (await node.running().get("/readyz")).status === 200;
  await eventually("the node to be ready again", isReady, READY_MS_MAX);
  const takes = async () => (await node.running().post("demo-sessions", sessionRecord(randomUUID()))).status === 202;
  await eventually("the node to take a post again", takes, 0);
  await inFullSwing(scene, 100);
  // Its own late settlements.
  await pause(WRITTEN_MS);
}

export const summarizeAbsence = ({ awayMs, heldBefore, refused }: Absent): string =>
  `${Math.round(awayMs / 1000)} s, longer than every claim: ${heldBefore} deliveries in its hands were taken over, ` +
  `${refused} of its results came late and were refused`;
