/**
 * The doctor's checks of a PostgreSQL database: it can be reached and written, which safeguards its operator has turned
 * off, and what several nodes must have in common. The doctor migrates nothing: the next start does.
 */
import type { Config } from "../../config/options.ts";
import { assertNotMoving } from "../../store/move/marks.ts";
import { NODE_CONNECTIONS_MAX } from "../../store/postgres/connection/connections.ts";
import { type Inspection, inspectPostgres } from "../../store/postgres/inspect.ts";
import { NEWEST_VERSION } from "../../store/postgres/schema/migrations.ts";
import { openPostgresStore } from "../../store/postgres/open.ts";
import { DAYS_AHEAD } from "../../store/postgres/schema/partitions.ts";
import { type DoctorContext, type Finding, bad, findingsOfHold, fine, warning } from "./finding.ts";
import { checkEncryptionKeyIfThere } from "./keys.ts";
import { checkShards } from "./shards.ts";
import type { Clock } from "../../lib/clock.ts";
import { daysMs, minutesMs } from "../../lib/duration.ts";
import { HELD_SETTING } from "../../store/contract/installation.ts";
import type { Store } from "../../store/contract/store.ts";

export async function checkPostgres(config: Config, url: string, { clock }: DoctorContext): Promise<Finding[]> {
  try {
    const inspection = await inspectPostgres({ url, pooler: config.databasePooler, clock });
    const opened = await openAndWrite({ config, url, inspection }, clock);
    return [...opened, ...dangers(inspection, config), ...missingDays(inspection), ...keysOfNodes(config)];
  } catch (error) {
    return [bad(sentence(error instanceof Error ? error.message : String(error)))];
  }
}

interface Inspected {
  readonly config: Config;
  readonly url: string;
  readonly inspection: Inspection;
}

/** Opens the database when its schema exists and has this version. It changes no table, and opens no other shard. */
async function openAndWrite(inspected: Inspected, clock: DoctorContext["clock"]): Promise<Finding[]> {
  const { config, url, inspection } = inspected;
  const { place, server, schemaVersion, answerMs, clockAheadMs } = inspection;
  const named = `${sentence(place, "")} (PostgreSQL ${server.version})`;
  if (server.isStandby)
    return [bad(`${named} is a standby and takes no writes.`, "Name the primary in BELLWIRE_DATABASE.")];
  if (schemaVersion === 0) return [fine(`${named} can be reached; the first start makes its tables.`)];
  if (schemaVersion < NEWEST_VERSION) {
    return [fine(`${named} has schema version ${schemaVersion}; the next start brings it to ${NEWEST_VERSION}.`)];
  }
  const opened = await openPostgresStore({ url, pooler: config.databasePooler, clock, onlyLooks: true });
  await using store = opened.store;
  await store.probe({ nowMs: opened.clock.nowMs() });
  await assertNotMoving(store);
  await checkEncryptionKeyIfThere(config, store);
  const time = `answers in ${answerMs.toFixed(1)} ms; its clock is ${clockWords(clockAheadMs)}, and nodes go by it`;
  const works = fine(`${named} opens and takes a write (schema version ${schemaVersion}).`, [
    time,
    ...poolerWords(config),
  ]);
  const held = findingsOfHold(await store.loadSetting({ name: HELD_SETTING }));
  return [works, ...held, ...(await checkShards(config, url)), ...(await checkInbox(store, opened.clock))];
}

function poolerWords({ databasePooler }: Config): string[] {
  if (databasePooler === "none") return [];
  return ["is reached through a pooler that lends a session for each transaction (BELLWIRE_DATABASE_POOLER)"];
}

function clockWords(aheadMs: number): string {
  const rounded = Math.round(Math.abs(aheadMs));
  if (rounded < 5) return "this machine's";
  return `${rounded} ms ${aheadMs > 0 ? "ahead of" : "behind"} this machine's`;
}

function dangers({ server }: Inspection, { databasePooler }: Config): Finding[] {
  const found: Finding[] = [];
  if (!server.survivesCrashes) {
    const advice = "Set fsync and full_page_writes to on.";
    found.push(warning("The database does not bring its data through a crash of its machine.", advice));
  }
  if (!server.syncsCommits) {
    const text = "The database answers commits before they are on disk (synchronous_commit).";
    found.push(warning(text, "Bellwire turns that on for its own connections; others are not changed."));
  }
  // A pooler's own settings decide how many sessions it opens.
  if (databasePooler === "none" && server.connectionsMax < 2 * NODE_CONNECTIONS_MAX) {
    const ours = `each node opens up to ${NODE_CONNECTIONS_MAX}`;
    const text = `The server takes ${server.connectionsMax} connections, and ${ours}.`;
    found.push(warning(text, "Raise max_connections before more nodes are started."));
  }
  return found;
}

/** Nodes keep a week ready. This much less means that no node has run for days, or that they cannot make the tables. */
const DAYS_READY_MIN = 4;

function missingDays({ daysReady }: Inspection): Finding[] {
  if (daysReady === null || daysReady >= DAYS_READY_MIN) return [];
  const text = `Tables are ready for ${daysReady} of the next ${DAYS_AHEAD + 1} days; nodes keep all of them ready.`;
  const advice =
    "The next start makes them. If a node ran all the time, something kept it from that: a transaction that stays " +
    "open, or missing rights. Nothing is refused, but retention deletes row by row, not by the day.";
  return [warning(text, advice)];
}

/**
 * A node that makes keys of its own is refused by the database, or refuses requests that the product sends to the
 * others.
 */
function keysOfNodes({ encryptionKey, apiKeys, dataDir }: Config): Finding[] {
  const fromFolder = [
    ...(encryptionKey === null ? ["BELLWIRE_ENCRYPTION_KEY"] : []),
    ...(apiKeys.length === 0 ? ["BELLWIRE_API_KEY"] : []),
  ];
  if (fromFolder.length === 0) return [];
  const text = `Keys come from files in ${dataDir}; every node on this database needs the same ones.`;
  return [warning(text, `For more than one node set ${fromFolder.join(" and ")} on each.`)];
}

const sentence = (text: string, end = "."): string => text.charAt(0).toUpperCase() + text.slice(1) + end;

/* The doctor's look into the inbox: records that no node takes, and records that were refused lately. */

/** A running node takes a record within a second. */
const STUCK_MS = minutesMs(2);
const LATELY_MS = daysMs(1);

export async function checkInbox(store: Store, clock: Clock): Promise<Finding[]> {
  const nowMs = clock.nowMs();
  const { waiting, oldestEmittedAtMs, refused } = await store.countInbox({ refusedFromMs: nowMs - LATELY_MS });
  const found: Finding[] = [];
  if (oldestEmittedAtMs !== null && nowMs - oldestEmittedAtMs > STUCK_MS) {
    const minutes = Math.floor((nowMs - oldestEmittedAtMs) / minutesMs(1));
    const text = `An emitted record has waited in the inbox for ${minutes} minutes (${waiting} wait in all).`;
    found.push(warning(text, "Is a node running? Records whose account was never put wait an hour, then are refused."));
  }
  if (refused > 0) {
    const text = `Emitted records refused in the last 24 hours: ${refused}.`;
    found.push(warning(text, "Each is kept with its reason: in the dashboard, or GET …/refused-records."));
  }
  return found;
}
