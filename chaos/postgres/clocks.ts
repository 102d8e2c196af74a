/**
 * The clocks of three machines are minutes apart, further than a lease is long. The database's clock decides when a
 * delivery is due and when a claim runs out, so nothing is sent early, late or twice, and receivers are told the
 * database's time.
 */
import assert from "node:assert/strict";
import { minutesMs, secondsMs } from "../../src/lib/duration.ts";
import type { Receiver } from "../../test/kit/servers/receiver.ts";
import { type Scenario, kept } from "../scenario.ts";
import { readClaimBook } from "./claim-book.ts";
import { type Scene, concludeNodes, openNodesScene, summarizeNodes, underLoad } from "./scene.ts";

const APART_MS = minutesMs(7);
const LOAD_MS = 20_000;
const QUICK_LOAD_MS = 5_000;
/** How long a claim lasts, see `src/delivery/engine.ts`. */
const CLAIM_MS = secondsMs(60);
/** On a busy machine a commit may take so long. */
const COMMIT_MS_MAX = 3_000;

export const clocks: Scenario = {
  name: "clocks",
  forMsMax: 240_000,
  async run({ folder, isQuick }) {
    const nodes = [{ clockAheadMs: APART_MS }, {}, { clockAheadMs: -APART_MS }];
    await using scene = await openNodesScene({ folder, nodes });
    await underLoad(scene, isQuick ? QUICK_LOAD_MS : LOAD_MS);
    const found = await concludeNodes(scene);
    assert.equal(found.duplicates, 0, "sent twice");
    assert.equal(found.ranOut, 0, "claims that ran out");
    assert.deepEqual(await oddClaims(scene), [], "claims that do not last as long as they should");
    assert.deepEqual(scene.receivers.flatMap(oddTimestamps), [], "webhook-timestamps of a node's own clock");
    return kept(`clocks 7 min ahead, right and 7 min behind: ${summarizeNodes(found)}`);
  },
};

/** Holders and lengths. */
async function oddClaims({ cluster, database }: Scene): Promise<string[]> {
  const claims = [...(await readClaimBook([{ cluster, url: database }])).values()].flat();
  assert.equal(new Set(claims.map(({ holder }) => holder)).size, 3, "every node has claimed");
  const lengths = claims.map(({ holder, fromMs, untilMs }) => ({ holder, lengthMs: untilMs - fromMs }));
  const odd = lengths.filter(({ lengthMs }) => lengthMs > CLAIM_MS + 100 || lengthMs < CLAIM_MS - COMMIT_MS_MAX);
  return odd.map(({ holder, lengthMs }) => `${holder} ${lengthMs} ms`);
}

function oddTimestamps({ requests }: Receiver): number[] {
  const late = requests.map(({ atMs, headers }) => atMs / 1000 - Number(headers["webhook-timestamp"]));
  return late.filter((seconds) => !(Math.abs(seconds) < 5));
}
