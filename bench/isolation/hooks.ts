/**
 * One account has a hundred webhooks at a receiver that takes each request and says nothing; or it has one that gets
 * one at a time, whose receiver is slow enough to keep it busy.
 */
import { randomUUID } from "node:crypto";
import { pause } from "../../test/kit/wait.ts";
import type { Running } from "../../test/kit/process/running.ts";
import { conversationRecord } from "../../test/kit/process/records.ts";
import { ASSISTANT } from "../many-destinations.ts";
import { add, type Comparison, noWaits } from "../windows.ts";
import { type Rig, run, runInTrouble, start } from "./rig.ts";
import {
  GATE,
  HOOK_RECORDS_PER_SECOND,
  HOOKS_GATE,
  ORDERED,
  ORDERED_PER_SECOND,
  REST_MS,
  ROUNDS,
  toHooks,
  USUAL,
  WARM_UP_MS,
  WELL_MS,
} from "./sizes.ts";

export async function compareHooks(rig: Rig, name: string): Promise<Comparison[]> {
  await using service = await start(rig, "hooks");
  await run(rig, service, WARM_UP_MS);
  const comparison: Comparison = { name, without: noWaits(), during: noWaits(), gate: HOOKS_GATE };
  for (let round = 0; round < ROUNDS; round += 1) {
    add(comparison.without, await run(rig, service, WELL_MS));
    const stop = postRecords(service, toHooks(round), HOOK_RECORDS_PER_SECOND);
    add(comparison.during, await runInTrouble(rig, service, toHooks(round)));
    await stop();
    await run(rig, service, REST_MS);
  }
  await service.stop();
  return [comparison];
}

/** Beside nothing, beside the same records to a webhook as usual, and beside one that gets them one at a time. */
export async function compareOrder(rig: Rig, name: string): Promise<Comparison[]> {
  await using service = await start(rig, "order");
  await run(rig, service, WARM_UP_MS);
  const [none, usual, ordered] = [noWaits(), noWaits(), noWaits()];
  const countSent = (): number => rig.hostile.requests.filter(({ path }) => path === "/order").length;
  for (let round = 0; round < ROUNDS; round += 1) {
    add(none, await run(rig, service, WELL_MS));
    for (const [waits, accountId] of [
      [usual, USUAL],
      [ordered, ORDERED],
    ] as const) {
      const before = countSent();
      const stop = postRecords(service, accountId, ORDERED_PER_SECOND);
      add(waits, await run(rig, service, WELL_MS));
      await stop();
      console.log(`- ${accountId}: ${((countSent() - before) / (WELL_MS / 1000)).toFixed(0)} a second`);
      await run(rig, service, REST_MS);
    }
  }
  await service.stop();
  return [
    { name: `${name}, to none`, without: none, during: ordered, gate: null },
    { name: `${name}, to one as usual`, without: usual, during: ordered, gate: GATE },
  ];
}

/** Returns what ends it, and rejects then if a record was not taken. */
function postRecords({ url, apiKey }: Running, accountId: string, perSecond: number): () => Promise<void> {
  let isOpen = true;
  const posting = (async () => {
    while (isOpen) {
      const { status } = await fetch(`${url}/v1/accounts/${accountId}/chat-conversations`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: conversationRecord(randomUUID(), ASSISTANT),
      });
      if (status !== 202) throw new Error(`the service answered ${status}`);
      await pause(1_000 / perSecond);
    }
  })();
  return async () => {
    isOpen = false;
    await posting;
  };
}
