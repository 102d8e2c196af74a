/** One account has a hundred webhooks at a receiver that takes each request and says nothing. */
import { randomUUID } from "node:crypto";
import { pause } from "../../test/kit/wait.ts";
import type { Running } from "../../test/kit/process/running.ts";
import { conversationRecord } from "../../test/kit/process/records.ts";
import { ASSISTANT } from "../many-destinations.ts";
import { add, type Comparison, noWaits } from "../windows.ts";
import { type Rig, run, runInTrouble, start } from "./rig.ts";
import { HOOK_RECORDS_PER_SECOND, HOOKS_GATE, REST_MS, ROUNDS, toHooks, WARM_UP_MS, WELL_MS } from "./sizes.ts";

export async function compareHooks(rig: Rig, name: string): Promise<Comparison[]> {
  await using service = await start(rig, "hooks");
  await run(rig, service, WARM_UP_MS);
  const comparison: Comparison = { name, without: noWaits(), during: noWaits(), gate: HOOKS_GATE };
  for (let round = 0; round < ROUNDS; round += 1) {
    add(comparison.without, await run(rig, service, WELL_MS));
    const stop = postRecords(service, toHooks(round));
    add(comparison.during, await runInTrouble(rig, service, toHooks(round)));
    await stop();
    await run(rig, service, REST_MS);
  }
  await service.stop();
  return [comparison];
}

/** Returns what ends it, and rejects then if a record was not taken. */
function postRecords({ url, apiKey }: Running, accountId: string): () => Promise<void> {
  let isOpen = true;
  const posting = (async () => {
    while (isOpen) {
      const { status } = await fetch(`${url}/v1/accounts/${accountId}/chat-conversations`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: conversationRecord(randomUUID(), ASSISTANT),
      });
      if (status !== 202) throw new Error(`the service answered ${status}`);
      await pause(1_000 / HOOK_RECORDS_PER_SECOND);
    }
  })();
  return async () => {
    isOpen = false;
    await posting;
  };
}
