/** In which steps a person is erased: nobody's accept waits for many events that are emptied. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCOUNT, createWorld, session } from "../../test/kit/world/world.ts";
import type { Store } from "../store/contract/store.ts";
import { erasePerson } from "./erase-person.ts";

const ADA = "ada@example.com";
const by = { person: "ada", role: "owner" } as const;

/** Events that each step looked at, at most, and how many it emptied. */
async function erase(email: string, events: number) {
  const world = await createWorld();
  await world.setUpAccount();
  await world.setUpAlert();
  const records = Array.from({ length: events }, (_, n) => session(n + 1));
  for (let from = 0; from < events; from += 100) await world.accept(...records.slice(from, from + 100));
  await world.run();
  const steps: [looked: number, emptied: number][] = [];
  const watched: Store["erasePerson"] = async (params) => {
    const part = await world.store.erasePerson(params);
    steps.push([params.eventsMax, part.events]);
    return part;
  };
  const store = Object.assign(Object.create(world.store) as Store, { erasePerson: watched });
  const part = await erasePerson({ ...world.accounts, store }, { accountId: ACCOUNT, email, after: "", by });
  return { steps, part };
}

test("where all events are about the person, each step empties few", async () => {
  const { steps, part } = await erase(ADA, 260);
  assert.deepEqual([part.events, part.next], [260, null]);
  assert.ok(
    steps.every(([, emptied]) => emptied <= 50),
    JSON.stringify(steps),
  );
});

test("where hardly any is, a step looks at many", async () => {
  const { steps, part } = await erase("bo@example.com", 260);
  assert.deepEqual([part.events, part.next], [0, null]);
  assert.deepEqual(steps, [
    [50, 0],
    [500, 0],
  ]);
});
