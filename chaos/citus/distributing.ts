/** `bellwire distribute` on a database with a history, while nodes take records and deliver. */
import assert from "node:assert/strict";
import { firstIdAt } from "../../src/domain/id.ts";
import { bucketOf } from "../../src/lib/bucket.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { hoursMs } from "../../src/lib/duration.ts";
import { StoreUnavailable } from "../../src/store/contract/store.ts";
import { type Distribution, openDistribution } from "../../src/store/postgres/citus/open.ts";
import { pause } from "../../test/kit/wait.ts";
import { type Scenario, kept, skipped } from "../scenario.ts";
import { quantile } from "./callers.ts";
import { type CitusScene, WITHOUT, conclude, hasCitus, openCitusScene } from "./scene.ts";

const DELIVERIES = 1_000_000;
const QUICK_DELIVERIES = 20_000;
const AT_ONCE = 10_000;

export const distributing: Scenario = {
  name: "spread",
  forMsMax: 3_600_000,
  async run({ folder, isQuick }) {
    if (!hasCitus()) return skipped(WITHOUT);
    const deliveries = isQuick ? QUICK_DELIVERIES : DELIVERIES;
    const fill = (place: Pick<CitusScene, "query">): Promise<void> => fillHistory(place, deliveries);
    await using scene = await openCitusScene({ folder, isDistributed: false, fill });
    scene.callers.begin("before");
    await pause(5_000);
    scene.callers.begin("spread");
    const startedMs = performance.now();
    await using distribution = await openDistribution(scene.database, systemClock);
    const calledOff = await distributeAgain(distribution);
    const tookS = ((performance.now() - startedMs) / 1_000).toFixed(0);
    scene.callers.begin("after");
    await pause(5_000);
    const judged = await conclude(scene);
    const [row] = await scene.query(COUNT_HISTORY);
    assert.equal(Number(row?.["count"]), deliveries, "rows of the history are missing");
    const during = scene.callers.answers.filter(({ phase }) => phase === "spread");
    const refused = during.filter(({ status }) => status !== 202).length;
    const times = during.map(({ tookMs }) => tookMs);
    return kept(
      `${deliveries} deliveries distributed in ${tookS} s: ${judged}; ${during.length} posts meanwhile, ${refused} ` +
        `to be sent again, ${calledOff} tables called off and begun again, ` +
        `p99 ${quantile(times, 0.99).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms`,
    );
  },
};

const CALLED_OFF_MAX = 10;

/** As an operator does: the same command again. Returns how often a table had been called off. */
async function distributeAgain(distribution: Distribution): Promise<number> {
  for (let calledOff = 0; ; calledOff += 1) {
    try {
      const ended = await distribution.run({ isOnline: true, tell: () => {}, isStopping: () => false });
      assert.equal(ended, "distributed");
      return calledOff;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || calledOff === CALLED_OFF_MAX) throw error;
    }
  }
}

/** An account that is not posted to; its deliveries arrived at once, an hour ago. */
const HISTORY = "acct-history";

async function fillHistory({ query }: Pick<CitusScene, "query">, deliveries: number): Promise<void> {
  const atMs = Date.now() - hoursMs(1);
  for (let from = 0; from < deliveries; from += AT_ONCE) {
    const at = atMs + from / AT_ONCE;
    const numbers = `lpad(n::text, 8, '0') from generate_series(${from}, ${from + AT_ONCE - 1}) n`;
    const [event, delivery] = (["evt", "dlv"] as const).map((prefix) => `'${firstIdAt(prefix, at)}' ||`);
    const whose = `'${HISTORY}', ${bucketOf(HISTORY)}`;
    await query(`insert into bellwire.events (id, account_id, bucket, type, accepted_at, source_id, body)
      select ${event} id, ${whose}, 'demo_viewed', ${at}, gen_random_uuid(), repeat('x', 1000)
      from (select ${numbers.replace(" from", " as id from")}) given`);
    await query(`insert into bellwire.deliveries (id, event_id, account_id, bucket, destination_id, state, is_ended,
        created_at, settled_at, attempts_made, last_outcome, last_status, last_ms)
      select ${delivery} id, ${event} id, ${whose}, 'dst_history', 'delivered', true, ${at}, ${at}, 1,
        'response', 200, 3
      from (select ${numbers.replace(" from", " as id from")}) given`);
  }
}

const COUNT_HISTORY = `select count(1) as count from bellwire.deliveries where account_id = '${HISTORY}'`;
