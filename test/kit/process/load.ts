/**
 * The load generator, a process of its own: sends records to the nodes of a service until its standard input closes,
 * and repeats each until it is acknowledged by one of them, however often nodes die meanwhile. An acknowledged id is
 * synced to a file before anything else happens: that file is the oracle, and what is in it must arrive.
 *
 * A line is `<source id> <event id> <deliveries> <new|repeat> <instant of the first try> <ms from there on>`.
 * Now and then an acknowledged record is sent again.
 */
import { randomUUID } from "node:crypto";
import { fdatasyncSync, openSync, writeSync } from "node:fs";
import { Pool } from "undici";
import { LEAD_TYPE, leadRecord } from "../declared-types.ts";
import { conversationRecord, sessionRecord } from "./records.ts";
import type { Noun } from "./running.ts";
import { pause } from "../wait.ts";

export interface LoadJob {
  /** The addresses of the nodes. A post goes to any that has answered lately, and its repeat to any other. */
  readonly urls: readonly string[];
  /** Each record is of one of them, and so are its repeats. */
  readonly accounts: readonly string[];
  readonly apiKey: string;
  readonly acknowledgedFile: string;
  readonly assistants: readonly string[];
  /** Whether records of a declared type are sent too. */
  readonly hasLeads?: boolean;
  /** Requests at once. */
  readonly callers: number;
  /** Each caller waits so long after an acknowledgement; 0 unless given. */
  readonly pauseMs?: number;
  /** A node that has not answered by then is given up on, as load balancers do; as long as it takes unless given. */
  readonly answerMsMax?: number;
  /** Between two tries of a post; 20 unless given. */
  readonly againMs?: number;
}

interface Post {
  readonly account: string;
  readonly noun: Noun;
  /** Texts of records by their id; more than one go as NDJSON. */
  readonly records: ReadonlyMap<string, string>;
}

interface AnswerLine {
  readonly id?: string;
  readonly event_id?: string;
  readonly deliveries?: number;
  readonly duplicate?: boolean;
}

interface Node {
  readonly pool: Pool;
  /** It has failed: others are asked first until then. */
  restUntilMs: number;
}

/** A service that is being started again refuses connections; asking without pause would only take its CPU. */
const AGAIN_MS = 20;
const NODE_REST_MS = 500;
const BATCH_RECORDS = 10;
/** Acknowledged posts that a repeat is taken from. */
const REMEMBERED_MAX = 200;

const job = JSON.parse(process.env["LOAD_JOB"] ?? "") as LoadJob;
const patience = job.answerMsMax === undefined ? {} : { headersTimeout: job.answerMsMax };
const nodes = job.urls.map((url): Node => {
  return { pool: new Pool(url, { connections: job.callers, ...patience }), restUntilMs: 0 };
});
const oracle = openSync(job.acknowledgedFile, "a");
const remembered: Post[] = [];
const counts = { acknowledged: 0, repeats: 0, unanswered: 0 };
let isStopping = false;

process.stdin.once("end", () => {
  isStopping = true;
});
process.stdin.resume();

await Promise.all(Array.from({ length: job.callers }, callUntilStopped));
await Promise.all(nodes.map(({ pool }) => pool.destroy()));
console.log(JSON.stringify(counts));
process.exit(0);

async function callUntilStopped(): Promise<void> {
  while (!isStopping) {
    const post = nextPost();
    const startedAtMs = Date.now();
    while (!(await isAcknowledged(post, startedAtMs)) && !isStopping) await pause(job.againMs ?? AGAIN_MS);
    if (job.pauseMs !== undefined && !isStopping) await pause(job.pauseMs);
  }
}

function nextPost(): Post {
  const dice = Math.random();
  const known = remembered[Math.floor(Math.random() * remembered.length)];
  if (dice < 0.1 && known !== undefined) return known;
  const account = oneOf(job.accounts);
  if (job.hasLeads === true && Math.random() < 0.3)
    return { account, noun: `events/${LEAD_TYPE}`, records: newLeads() };
  if (dice < 0.4) return { account, noun: "chat-conversations", records: newConversations(1) };
  if (dice < 0.5) return { account, noun: "chat-conversations", records: newConversations(BATCH_RECORDS) };
  return { account, noun: "demo-sessions", records: newSessions(dice < 0.9 ? 1 : BATCH_RECORDS) };
}

/** One in ten is of the level that goes to the slow receiver too. */
function newSessions(count: number): Map<string, string> {
  const level = () => (Math.random() < 0.1 ? "low" : "high");
  return new Map(newIds(count).map((id) => [id, sessionRecord(id, { intent_level: level() })]));
}

function newConversations(count: number): Map<string, string> {
  return new Map(newIds(count).map((id) => [id, conversationRecord(id, oneOf(job.assistants))]));
}

function newLeads(): Map<string, string> {
  return new Map(newIds(Math.random() < 0.8 ? 1 : BATCH_RECORDS).map((id) => [id, leadRecord(id)]));
}

function oneOf(names: readonly string[]): string {
  return names[Math.floor(Math.random() * names.length)] ?? "";
}

/** Sends once. False when there was no answer, or one that says to come again. */
async function isAcknowledged(post: Post, startedAtMs: number): Promise<boolean> {
  const node = nextNode();
  const lines = await findAnswer(node, post).catch(() => null);
  if (lines === null) {
    counts.unanswered += 1;
    node.restUntilMs = performance.now() + NODE_REST_MS;
    return false;
  }
  note(lines, startedAtMs);
  if (remembered.length >= REMEMBERED_MAX) remembered.shift();
  remembered.push(post);
  return true;
}

function nextNode(): Node {
  const nowMs = performance.now();
  const answering = nodes.filter(({ restUntilMs }) => restUntilMs <= nowMs);
  const among = answering.length > 0 ? answering : nodes;
  return among[Math.floor(Math.random() * among.length)] ?? fail("there is no node");
}

/** `null` for 503. Anything else that is not an acknowledgement is a fault that the test must see. */
async function findAnswer({ pool }: Node, { account, noun, records }: Post): Promise<AnswerLine[] | null> {
  const isBatch = records.size > 1;
  const { statusCode, body } = await pool.request({
    method: "POST",
    path: `/v1/accounts/${account}/${noun}`,
    headers: {
      authorization: `Bearer ${job.apiKey}`,
      "content-type": isBatch ? "application/x-ndjson" : "application/json",
    },
    body: [...records.values()].join("\n"),
  });
  const text = await body.text();
  if (statusCode === 503) return null;
  if (statusCode > 202) fail(`${statusCode} ${text}`);
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as AnswerLine);
  const isWhole = lines.every(({ id, event_id }) => event_id !== undefined && records.has(id ?? ""));
  if (lines.length !== records.size || !isWhole) fail(`${statusCode} ${text}`);
  return lines;
}

function note(lines: readonly AnswerLine[], startedAtMs: number): void {
  const when = `${startedAtMs} ${Date.now() - startedAtMs}`;
  const texts = lines.map(
    ({ id, event_id, deliveries, duplicate }) =>
      `${id} ${event_id} ${deliveries} ${duplicate === true ? "repeat" : "new"} ${when}\n`,
  );
  writeSync(oracle, texts.join(""));
  fdatasyncSync(oracle);
  const repeats = lines.filter(({ duplicate }) => duplicate === true).length;
  counts.acknowledged += lines.length - repeats;
  counts.repeats += repeats;
}

function newIds(count: number): string[] {
  return Array.from({ length: count }, () => randomUUID());
}

function fail(answer: string): never {
  console.error(`the service answered something else than an acknowledgement: ${answer}`);
  process.exit(1);
}
