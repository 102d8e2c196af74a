/** One owner looks at what was delivered and at the day's chart, every second, as an open page does. */
import { type Person, signIn } from "../../test/kit/process/person.ts";
import { pause } from "../../test/kit/wait.ts";
import { findAccount } from "../many-destinations.ts";
import { add, type Comparison, noWaits } from "../windows.ts";
import { type Rig, run, start } from "./rig.ts";
import { GATE, LOOK_EVERY_MS, ROUNDS, TROUBLED, WARM_UP_MS, WELL_MS } from "./sizes.ts";

export async function compareOpenPage(rig: Rig, name: string): Promise<Comparison[]> {
  await using service = await start(rig, "queue");
  await run(rig, service, WARM_UP_MS);
  const owner = await signIn(service, findAccount(TROUBLED));
  const comparison: Comparison = { name, without: noWaits(), during: noWaits(), gate: GATE };
  for (let round = 0; round < ROUNDS; round += 1) {
    add(comparison.without, await run(rig, service, WELL_MS));
    const closePage = openPage(owner);
    add(comparison.during, await run(rig, service, WELL_MS));
    await closePage();
  }
  await service.stop();
  return [comparison];
}

/** Returns what closes it, and rejects then if a look has failed. */
function openPage({ call }: Person): () => Promise<void> {
  let isOpen = true;
  const look = async (): Promise<void> => {
    while (isOpen) {
      await Promise.all(["/deliveries?status=delivered", "/statistics?range=24h"].map((path) => call("GET", path)));
      await pause(LOOK_EVERY_MS);
    }
  };
  const looking = look();
  return async () => {
    isOpen = false;
    await looking;
  };
}
