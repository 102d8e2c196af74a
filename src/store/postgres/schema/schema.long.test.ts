import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type pg from "pg";
import { FILL_TABLES } from "../../../../test/kit/servers/fill-tables.ts";
import { type Cluster, startCluster } from "../../../../test/kit/servers/postgres.ts";
import { DELIVERY_STATES } from "../../../domain/delivery.ts";
import { DESTINATION_STATES } from "../../../domain/destination.ts";
import { REPLAY_STATES } from "../../../domain/replay.ts";
import { newId } from "../../../domain/id.ts";
import { systemClock } from "../../../lib/clock.ts";
import { systemRandom } from "../../../lib/random.ts";
import { COUNT_ATTEMPTS, FIND_NEWEST_EVENT } from "../log/activity.ts";
import { DELETE_HOURS, LIST_HOURS, SUM_RESULTS, takeOld } from "../figures/account-hours.ts";
import { LIST_OF_ACCOUNT, LIST_RESULTS, listOfDestinations } from "../figures/count-attempts.ts";
import { LIST_ENTRIES, LIST_ENTRIES_OF_ACTION } from "../../sql/audit.ts";
import { LIST_EVENTS, LIST_WAKING, TAKE_DUE } from "../path/claims.ts";
import { overClient, type Value } from "../connection/connection.ts";
import { newSession } from "../connection/connections.ts";
import { daysFrom, findDeliveryIds, idsBetween, idsOfDay, idsSince, toPlaceholders, spanOf } from "../days.ts";
import { LIST_BY_ID, LIST_EVENTS_SHOWN, listAlong, placeValues, stepAlong } from "../log/delivery-lists.ts";
import type { DeliveryIndex } from "../log/list-scans.ts";
import { LIST_COUNTED, listPeriods } from "../log/look-back.ts";
import { LIST_CHANGES } from "../../sql/path/destinations.ts";
import { COUNT_WAITING, LIST_DESTINATIONS } from "../log/destination-reports.ts";
import { LIST_DELETED, LIST_SHUT, LOCK_OVERDUE } from "../../sql/retention/expire.ts";
import { LIST_OF_DESTINATION } from "../../sql/path/incidents.ts";
import { LIST_DUE_DESTINATIONS, TAKE_DUE_MESSAGES } from "../path/pulls.ts";
import { LIST_IN_MEMORY } from "../path/in-memory.ts";
import { CLAIM_RECORDS, COUNT_INBOX, DELETE_REFUSED, EMPTY_REFUSED, LIST_REFUSED } from "../inbox.ts";
import { LIST_PLACES } from "../log/list-events.ts";
import { LIST_FORGOTTEN, LIST_REPLAYS, LOCK_RUNNING } from "../../sql/replays/replays.ts";
import { MIGRATIONS } from "./migrations.ts";
import { openPostgresStore } from "../open.ts";
import { makeDays } from "./partitions.ts";
import { FIND_OLD_TEXT, FORGET_TEXTS } from "../../sql/log/body-texts.ts";
import { FIND_OLDEST_EVENT, LIST_WITH_BODY, LIST_WITHOUT_BODY, PURGE_ANSWERS } from "../retention/purge.ts";
import { DELETE_REPLAYS, DELETE_SESSIONS } from "../../sql/retention/retention.ts";
import { FREEZE_ITEMS } from "../log/freeze-items.ts";
import { LIST_ALL_ATTEMPTS } from "../path/settle-in-memory.ts";
import { LOCK_FOR_RESEND } from "../path/resends.ts";
import { LIST_DUE_SECRETS } from "../../sql/set-up/secrets.ts";
import { DELETE_EXPIRED_LINKS, LIST_SESSIONS } from "../../sql/people/sessions.ts";
import { FIND_OLDEST_DUE } from "../../sql/path/statistics.ts";

const BEGIN = { sql: "begin", keepsStatements: true };

let cluster: Cluster;
let client: pg.Client;

/** Three months that are over. */
const HISTORY = daysFrom(Date.UTC(2026, 0, 1), 90);

before(async () => {
  cluster = await startCluster({ settings: ["autovacuum=off"] });
  const url = await cluster.createDatabase();
  const { store } = await openPostgresStore({ url, clock: systemClock });
  await store[Symbol.asyncDispose]();
  client = newSession({ url, pooler: "none", forcesSync: false }, { pipeline: true });
  await client.connect();
  assert.ok(await makeDays(overClient(client, BEGIN), new Map(), HISTORY));
  await client.query("commit");
  // A vacuum stands alone.
  await client.query(FILL_TABLES);
  await client.query("vacuum analyze");
});
after(async () => {
  await client.end();
  await cluster[Symbol.asyncDispose]();
});

interface PlanNode {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
  readonly Plans?: readonly PlanNode[];
}

/** All of what has no day, as a range. */
const undated = (prefix: "evt" | "dlv") => [`${prefix}_1`, "~", null, null] as const;

const UNDATED = { from: "dlv_0", to: "dlv_0", below: "dlv_0", above: "dlv_1" };

/** Every step of the plan, such as `Index Scan destinations_waking`, from the outermost. */
async function readPlan(sql: string, ...values: Value[]): Promise<string[]> {
  const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(`explain (format json) ${sql}`, values);
  const steps = (node: PlanNode): string[] => [
    [node["Node Type"], node["Index Name"] ?? node["Relation Name"] ?? ""].join(" ").trim(),
    ...(node.Plans ?? []).flatMap(steps),
  ];
  const plan = rows[0]?.["QUERY PLAN"][0].Plan;
  return plan === undefined ? [] : steps(plan);
}

/** Reads the tables by these indexes, without reading one from end to end or sorting what it has read. */
async function assertFollows(indexes: readonly string[], sql: string, ...values: Value[]): Promise<void> {
  const plan = await readPlan(sql, ...values);
  const text = plan.join("\n");
  for (const index of indexes)
    assert.ok(
      plan.some((step) => step.endsWith(` ${index}`)),
      `${index} is not in\n${text}`,
    );
  assert.doesNotMatch(text, /Seq Scan|Sort|Bitmap/, text);
}

describe("the schema knows the domain's states", () => {
  const allowed = async (table: string): Promise<string[]> => {
    const { rows } = await client.query<{ definition: string }>(
      "select pg_get_constraintdef(oid) as definition from pg_constraint where conname = $1",
      [`${table}_state_check`],
    );
    return [...(rows[0]?.definition ?? "").matchAll(/'(\w+)'/g)].map(([, value = ""]) => value);
  };
  test("of deliveries", async () => assert.deepEqual(await allowed("deliveries"), DELIVERY_STATES));
  test("of destinations", async () => assert.deepEqual(await allowed("destinations"), DESTINATION_STATES));
  test("of replays", async () => assert.deepEqual(await allowed("replays"), REPLAY_STATES));
});

test("migrations are numbered from one without a gap", () => {
  assert.deepEqual(
    MIGRATIONS.map(({ version }) => version),
    MIGRATIONS.map((_, place) => place + 1),
  );
});

describe("queries follow an index, however much there is", () => {
  test("an idle claim is one search, and the walk needs no sorting", () =>
    assertFollows(["destinations_waking"], LIST_WAKING, 100, 0, "", ["dst_1"], ["acc_1"], 50));

  test("due deliveries are searched in their order, and no more are locked than are claimed", async () => {
    const ids = Array.from({ length: 50 }, (_, n) => `dst_${n}`);
    const slots = ids.map(() => 4);
    await assertFollows(["deliveries_queue"], TAKE_DUE, ids, slots, 10 ** 6, 100);
    await assertFollows(["deliveries_queue"], TAKE_DUE_MESSAGES, ids[0] ?? "", 10 ** 6, 100);
    await assertFollows(["deliveries_queue"], LIST_DUE_DESTINATIONS, ids, 10 ** 6);
    await client.query("begin");
    const { rows } = await client.query<object>(`explain (analyze, format json) ${TAKE_DUE}`, [
      ids,
      slots,
      10 ** 6,
      10,
    ]);
    await client.query("rollback");
    const locked = [
      ...JSON.stringify(rows).matchAll(/"Node Type":"LockRows".*?"Actual Rows":([\d.]+),"Actual Loops":(\d+)/g),
    ];
    assert.ok(locked.length > 0);
    for (const [, each, loops] of locked) assert.ok(Number(each) * Number(loops) <= 12, `${each} × ${loops}`);
  });

  test("the oldest due time is a search for each destination that could send now", () =>
    assertFollows(["destinations_waking", "deliveries_queue"], FIND_OLDEST_DUE, 3));

  test("a replay is frozen from the account's own destinations' deliveries of its time", async () => {
    const limits = [
      "rpl_x",
      "acc_1",
      0,
      2_000,
      ["delivered"],
      null,
      null,
      1_000,
      ...undated("dlv"),
      ...undated("evt"),
      null,
      null,
    ] as const;
    const plan = (await readPlan(FREEZE_ITEMS, ...limits)).join("\n");
    assert.match(plan, /Index Scan deliveries_default_destination_id_created_at_id_idx/, plan);
    assert.doesNotMatch(plan, /Seq Scan deliveries/);
  });

  test("deliveries in memory are looked for among the newest events, each by its key", async () => {
    const ids = [...toPlaceholders(idsSince("evt", 19_900)), ...toPlaceholders(idsSince("dlv", 19_900))];
    const plan = (await readPlan(LIST_IN_MEMORY, [1], 19_900, ...ids, "acc_1")).join("\n");
    assert.match(plan, /Index Scan events_default_accepted_at_id_idx/, plan);
    assert.match(plan, /Index (?:Only )?Scan deliveries_default_pkey/, plan);
    // Days without a row are read as they lie.
    assert.doesNotMatch(plan, /Seq Scan (?:events|deliveries)_default|Hash|Merge/, plan);
  });

  test("whether anything has happened to an account is a few searches", async () => {
    // What is not added up yet is a few rows, whatever there is of the account.
    const attempts = (await readPlan(COUNT_ATTEMPTS, "acc_1", 61_000 * 19_990)).join("\n");
    assert.match(attempts, /Index (?:Only )?Scan account_attempt_counts_pkey/, attempts);
    assert.doesNotMatch(attempts, /Seq Scan account|Sort/, attempts);
    const newest = (await readPlan(FIND_NEWEST_EVENT, "acc_1", "evt_")).join("\n");
    assert.match(newest, /Index (?:Only )?Scan events_/, newest);
    assert.doesNotMatch(newest, /Seq Scan events|Bitmap/, newest);
  });

  test("a step of replays reads those that run", () => assertFollows(["replays_running"], LOCK_RUNNING));

  test("what people look at is read from its end", async () => {
    await assertFollows(["changes_of_destination"], LIST_CHANGES, "acc_1", "dst_2", 10);
    await assertFollows(["incidents_pkey"], LIST_OF_DESTINATION, "acc_1", "dst_2", "~", 10);
    await assertFollows(["audit_of_account"], LIST_ENTRIES, "acc_1", 10 ** 6, 10);
    await assertFollows(["audit_of_action"], LIST_ENTRIES_OF_ACTION, "acc_1", 10 ** 6, 10, "signed_in");
    await assertFollows(["replays_of_account"], LIST_REPLAYS, "acc_1", 10);
  });

  test("a page of the log is read along the index that its filter is rarest in", async () => {
    const [ids, page] = [
      ["dst_1", "dst_2", "dst_9"],
      [10 ** 7, "", 0, 21, null, null, null],
    ];
    const along = (name: DeliveryIndex, key: string | number | null) => {
      const isEnded = name !== "retrying";
      const parts = { days: isEnded, undated: isEnded, pending: !isEnded };
      const values = [...page, ...placeValues({ ids, key, each: 20 }, parts, UNDATED)];
      return Promise.all([
        readPlan(listAlong(name, parts), ...values),
        readPlan(stepAlong(name, parts, false), ...values),
        readPlan(stepAlong(name, parts, true), ...values, "demo_viewed", "evt_0", "evt_0", "evt_0", "evt_1"),
      ]);
    };
    const expected = [
      ["all", null, "deliveries_default_destination_id_created_at_id_idx"],
      ["unsent", "failed", "deliveries_default_destination_id_state_created_at_id_idx"],
      ["retrying", null, "deliveries_retrying"],
      ["refused", 5, "deliveries_default_destination_id_expr_created_at_id_idx"],
    ] as const;
    for (const [name, key, index] of expected) {
      for (const plan of (await along(name, key)).map((steps) => steps.join("\n"))) {
        assert.match(plan, new RegExp(`Index (?:Only )?Scan (?:Backward )?${index}`), `${name}:\n${plan}`);
        assert.doesNotMatch(plan, /Seq Scan (?:deliveries|events)/);
      }
    }
    const eventId = newId("evt", HISTORY[9] ?? 0, systemRandom);
    const ofEvent = toPlaceholders(findDeliveryIds(eventId));
    const byId = (await readPlan(LIST_BY_ID.delivery, ...page, "acc_1", "dlv_1", false, null)).join("\n");
    const byEvent = (await readPlan(LIST_BY_ID.event, ...page, "acc_1", eventId, false, null, ...ofEvent)).join("\n");
    for (const plan of [byId, byEvent]) assert.doesNotMatch(plan, /Seq Scan deliveries_(?:pending|default)/, plan);
  });

  test("events are listed assistant by assistant, each from its end", async () => {
    const plan = (await readPlan(LIST_PLACES, "acc_1", "demo_viewed", 10 ** 9, 20, ...undated("evt"))).join("\n");
    assert.match(plan, /events_default_account_id_type_assistant_id_seq_idx/);
    assert.doesNotMatch(plan, /Seq Scan events|Bitmap/, plan);
  });

  test("destinations are reported by a few searches each, and figures by their time", async () => {
    const report = (await readPlan(LIST_DESTINATIONS, "acc_1", null, false, 21)).join("\n");
    assert.doesNotMatch(report, /Seq Scan (?:deliveries|destination_changes|attempt_counts)/, report);
    const waiting = (await readPlan(COUNT_WAITING, "acc_1", 21)).join("\n");
    assert.doesNotMatch(waiting, /Seq Scan deliveries/, waiting);
    for (const joined of [undefined, "destinations"] as const) {
      const figures = (await readPlan(listOfDestinations(joined), "acc_1", 0, 10 ** 6, 60_000, null)).join("\n");
      assert.match(figures, /attempt_counts_pkey/, figures);
    }
    const ofAccount = (await readPlan(LIST_OF_ACCOUNT, "acc_1", 0, 10 ** 6, 60_000)).join("\n");
    assert.match(ofAccount, /account_attempt_counts_pkey/, ofAccount);
    for (const ids of [null, ["dst_1", "dst_2"]]) {
      const results = (await readPlan(LIST_RESULTS, "acc_1", [0], [10 ** 6], 60_000, ids)).join("\n");
      assert.match(results, /attempt_counts_pkey/, results);
    }
    const hours = (await readPlan(SUM_RESULTS, ["acc_1"], [0])).join("\n");
    assert.match(hours, /attempt_counts_pkey/, hours);
    const ofDay = (await readPlan(LIST_HOURS, "acc_1", [0, 3_600_000])).join("\n");
    assert.match(ofDay, /account_hours_pkey/, ofDay);
    await assertFollows(["account_hours_pkey"], DELETE_HOURS, 36_000_000, 10);
    const code = ["delivery", "204", "204"];
    const periods = (await readPlan(listPeriods("account"), "acc_1", 0, ...code, 50)).join("\n");
    assert.match(periods, /account_attempt_counts_pkey/, periods);
    const inPeriods = (await readPlan(listPeriods("destination"), "acc_1", 0, ...code, 50, "dst_1")).join("\n");
    assert.match(inPeriods, /attempt_counts_pkey/, inPeriods);
    const counted = (await readPlan(LIST_COUNTED, "acc_1", ["dst_1", "dst_2"], ...code, [0], [10 ** 6])).join("\n");
    assert.match(counted, /attempt_counts_pkey/, counted);
    assert.doesNotMatch(counted, /Seq Scan attempt_counts/);
    await assertFollows(["attempt_counts_of_minutes"], takeOld("destination", "minutes"), 10 ** 6, 10);
    await assertFollows(["account_attempt_counts_of_minutes"], takeOld("account", "minutes"), 10 ** 6, 10);
  });

  test("records of the inbox are taken from its end, and the rows are found by their numbers", async () => {
    const plan = (await readPlan(CLAIM_RECORDS, 10 ** 6, 500, 10 ** 6, 10 ** 7, "token")).join("\n");
    assert.match(plan, /Index Scan inbox_due/);
    assert.match(plan, /Index Scan inbox_pkey/);
    assert.doesNotMatch(plan, /Seq Scan inbox/, plan);
    const count = (await readPlan(COUNT_INBOX, 0, 20_000)).join("\n");
    assert.match(count, /Limit\n\S+ Scan inbox/, "it counts no more than it may");
    assert.match(count, /Limit\nIndex Scan inbox_pkey/, "it reads one row for the oldest");
    await assertFollows(["refused_records_of_account"], LIST_REFUSED, "acc_1", 10 ** 6, 10, 99);
  });

  test("a step of retention searches for what is old", async () => {
    const old = [0, "", 1_000, 10, "evt_1", "evt_~"] as const;
    await assertFollows(["events_default_accepted_at_id_idx"], LIST_WITH_BODY, ...old);
    await assertFollows(["events_default_accepted_at_id_idx1"], LIST_WITHOUT_BODY, ...old);
    const answers = ["attempts_default_started_at_idx", "attempts_default_pkey"];
    await assertFollows(answers, PURGE_ANSWERS, 1_000, 10, ...undated("dlv"));
    await assertFollows(["body_texts_by_use"], FIND_OLD_TEXT, 1_000);
    await assertFollows(["body_texts_by_use", "body_texts_pkey"], FORGET_TEXTS, 1_000, 10);
    const byAge = ["events_default_accepted_at_id_idx", "events_default_accepted_at_id_idx1"];
    await assertFollows(byAge, FIND_OLDEST_EVENT);
    await assertFollows(["replays_ended"], DELETE_REPLAYS, 1_000, 10);
    await assertFollows(["sessions_expiring"], DELETE_SESSIONS, 1_000, 10);
    await assertFollows(["sign_in_links_expiring", "sign_in_links_pkey"], DELETE_EXPIRED_LINKS, 1_000, 10);
    await assertFollows(["sessions_of_account"], LIST_SESSIONS, "acc_1", "ses_~", 0, 0, null, 10);
    await assertFollows(["replays_prepared"], LIST_FORGOTTEN, 1_000, 10);
    await assertFollows(["refused_records_with_record", "refused_records_pkey"], EMPTY_REFUSED, 1_000, 10);
    await assertFollows(["refused_records_by_age", "refused_records_pkey"], DELETE_REFUSED, 1_000, 10);
    await assertFollows(["secrets_stopping"], LIST_DUE_SECRETS, 1_000, 10);
  });

  test("the end of waiting searches for destinations that are not on, and for what is due there", async () => {
    await assertFollows(["destinations_shut"], LIST_SHUT, 1_000, 10);
    await assertFollows(["destinations_left"], LIST_DELETED, 10);
    await assertFollows(["deliveries_queue"], LOCK_OVERDUE, "dst_1", 10 ** 6, 10);
  });
});

describe("with ninety days of history, what is planned reads", () => {
  /** Tables of the plan, without those that hold nothing themselves. */
  async function listTables(sql: string, ...values: Value[]): Promise<string[]> {
    const { rows } = await client.query<object>(`explain (format json) ${sql}`, values);
    const found = [...JSON.stringify(rows).matchAll(/"Relation Name":"(\w+)"/g)].map(([, name = ""]) => name);
    return [...new Set(found)].filter((name) => !["events", "deliveries", "attempts"].includes(name)).toSorted();
  }
  const NOON = (HISTORY[9] ?? 0) + 12 * 3_600_000;
  const eventId = newId("evt", NOON, systemRandom);
  const deliveryId = newId("dlv", NOON, systemRandom);

  test("the queue and nothing else, for a claim", async () => {
    assert.deepEqual(await listTables(TAKE_DUE, ["dst_1"], [4], 10 ** 6, 100), ["deliveries_pending"]);
    assert.deepEqual(await listTables(LOCK_OVERDUE, "dst_1", 10 ** 6, 10), ["deliveries_pending"]);
    assert.deepEqual(await listTables(FIND_OLDEST_DUE, 3), ["deliveries_pending", "destinations"]);
  });

  test("an event's own day, for what is known by its id", async () => {
    for (const sql of [LIST_EVENTS_SHOWN, LIST_EVENTS]) {
      const values = sql === LIST_EVENTS ? [[eventId], 10 ** 6] : [[eventId]];
      const days = (await listTables(sql, ...values)).filter((name) => name !== "search_entries");
      assert.deepEqual(days, ["events_20260110"]);
    }
    const range = toPlaceholders(spanOf([deliveryId]));
    const made = ["attempts_20260110", "deliveries_20260110"];
    assert.deepEqual(await listTables(LIST_ALL_ATTEMPTS, [deliveryId], ...range), made);
    // The default one has nothing but what has no day.
    const ended = ["deliveries_20260110", "deliveries_default", "deliveries_pending", "destinations"];
    // Whether its destination gets one at a time.
    ended.push("ordered_deliveries");
    assert.deepEqual(await listTables(LOCK_FOR_RESEND, [deliveryId], "acc_1", ...range), ended);
  });

  test("a day's tables, for a step of retention", async () => {
    const { from, to } = idsOfDay("evt", HISTORY[9] ?? 0);
    assert.deepEqual(await listTables(LIST_WITH_BODY, 0, "", NOON, 10, from, to), ["events_20260110"]);
    const range = toPlaceholders(idsOfDay("dlv", HISTORY[9] ?? 0));
    assert.deepEqual(await listTables(PURGE_ANSWERS, NOON, 10, ...range), ["attempts_20260110"]);
  });

  test("the days of a page of the log", async () => {
    const range = idsBetween("dlv", HISTORY[8] ?? 0, NOON);
    const page = [10 ** 13, "", 0, 21, null, null, null];
    const places = { ids: ["dst_1"], key: null, each: 1 };
    const days = ["deliveries_20260109", "deliveries_20260110"];
    for (const pending of [true, false]) {
      const parts = { days: true, undated: false, pending };
      const tables = [...days, ...(pending ? ["deliveries_pending"] : []), "destinations"];
      assert.deepEqual(
        await listTables(listAlong("all", parts), ...page, ...placeValues(places, parts, range)),
        tables,
      );
    }
  });
});
