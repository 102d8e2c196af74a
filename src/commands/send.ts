/** `bellwire send`: hands records to a running service as the product's back end does, a sample or a file of them. */
import type { OwnerKind } from "../domain/event.ts";
import { demoViewed } from "../events/demo-viewed.ts";
import type { EventType } from "../events/event-type.ts";
import type { EventTypes } from "../events/event-types.ts";
import { LIMITS } from "../domain/limits.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { systemClock } from "../lib/clock.ts";
import { systemRandom, newUuid } from "../lib/random.ts";
import { JSON_FLAG, JSON_HELP, misuse, readArguments, show, wholeNumberFlag } from "./arguments.ts";
import type { Command } from "./command.ts";
import { readFile } from "./read-file.ts";
import { type Counts, readAnswers } from "./send-answers.ts";
import { ACCESS_FLAGS, ACCESS_HELP, openAccount } from "./service-access.ts";
import type { ServiceCall } from "./service-client.ts";
import { readSettings, readTypes } from "./start-up.ts";

const DEFAULT = demoViewed;

const HELP = `Usage: bellwire send [--event name] [--count n] [--json]
       bellwire send --event name --file records.json|records.ndjson [--json]

Sends sample records with fresh keys and the present time, or a file's records as they stand, and prints what the
service answers. Sending a file again is safe: records that it knows are not delivered twice.

  --event name      the event type; a sample is a ${DEFAULT.type} unless this says otherwise
  --account id      the account (default: main, which the service's first start makes)
  --count n         how many samples (default 1, at most ${LIMITS.batchRecordsMax})
  --file path       one record as .json, or one record a line as .ndjson or .jsonl
${JSON_HELP}
${ACCESS_HELP}`;

const FLAGS = {
  event: { type: "string" },
  account: { type: "string", default: "main" },
  count: { type: "string" },
  file: { type: "string" },
  ...JSON_FLAG,
  ...ACCESS_FLAGS,
} as const;

interface Shipment {
  readonly type: EventType;
  /** The dashboard has Settings → Webhooks. */
  readonly hasWebhooks: boolean;
  readonly body: NonNullable<ServiceCall["body"]>;
}

export const send: Command = async (io) => {
  const given = readArguments(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { event, count, file, json } = given.values;
  const config = readSettings(io);
  if (config === null) return 1;
  const types = readTypes(io, config);
  if (types === null) return 1;
  const type = findType(types, { event, file });
  if (!type.ok) return misuse(io, HELP, type.error);
  const body = file === undefined ? samples(type.value, count) : readContent(type.value, { file, count });
  if (!body.ok) return misuse(io, HELP, body.error);
  await using account = openAccount(io, config, given.values);
  if (account === null) return 1;
  const shipment = { hasWebhooks: types.declarations.length > 0, ...body.value };
  const call = { method: "POST", path: `events/${shipment.type.type}`, body: shipment.body } as const;
  const answer = await account.call(call);
  const answers = answer.kind === "answered" ? readAnswers(answer) : null;
  if (answers === null) {
    account.explain(answer);
    return 1;
  }
  const { results, counts } = answers;
  const lines = () => [...answers.lines, ...(counts.all > 1 ? [totals(counts)] : [])];
  show(io, json, { value: { ...counts, records: results }, lines });
  if (answers.counts.undelivered > 0) io.err(nowhereToGo(shipment, answers.counts));
  return answers.counts.refused === 0 ? 0 : 1;
};

const totals = ({ accepted, known, refused }: Counts): string =>
  `${accepted} accepted, ${known} known already, ${refused} refused`;

/** An accepted record without a delivery puzzles people most, so the possible reasons are named. */
function nowhereToGo({ type: { owners }, hasWebhooks }: Shipment, { undelivered }: Counts): string {
  const shown = owners.filter((owner) => owner !== "webhook" || hasWebhooks);
  const why = shown.map((owner) => WHY_NOWHERE[owner]).join(", and ");
  return `${undelivered} went to no destination: ${why}. Set one up in the dashboard.`;
}

const WHY_NOWHERE: Readonly<Record<OwnerKind, string>> = {
  alert: "no alert with Webhooks switched on fires for it, or the account's plan is below Starter",
  assistant: "its chat assistant has no Webhook URL",
  webhook: "no webhook wants it",
};

type Content = Result<Pick<Shipment, "type" | "body">, string>;

function samples(type: EventType, countText = "1"): Content {
  const count = wholeNumberFlag("--count", countText, [1, LIMITS.batchRecordsMax]);
  if (!count.ok) return count;
  const newRecord = () => type.newExample(systemClock.nowMs(), newUuid(systemRandom));
  const records = Array.from({ length: count.value }, newRecord);
  const [first = ""] = records;
  if (records.length === 1) return ok({ type, body: { type: "application/json", content: first } });
  return ok({ type, body: { type: "application/x-ndjson", content: records.join("\n") } });
}

/** A file's is not guessed, since a wrong guess would end as a list of unknown fields. */
function findType(
  types: EventTypes,
  { event, file }: { readonly event: string | undefined; readonly file: string | undefined },
): Result<EventType, string> {
  if (event === undefined && file !== undefined) return refuse("--file needs --event: the file does not say it itself");
  const type = event === undefined ? DEFAULT : types.find(event);
  return type === undefined ? refuse(`--event: ${types.refuse(event ?? "").detail}`) : ok(type);
}

/** The file's bytes go out untouched: a record may hold numbers that would not survive being read and written. */
function readContent(
  type: EventType,
  { file: path, count }: { readonly file: string; readonly count: string | undefined },
): Content {
  if (count !== undefined) return refuse("--count is for samples; a file is sent as it is, once");
  const mediaType = findMediaType(path);
  if (mediaType === null)
    return refuse(`--file ${path} must end in .json (one record), .ndjson or .jsonl (one a line)`);
  const content = readFile(path);
  if (!content.ok) return refuse(`--file ${path} cannot be read (${content.error})`);
  if (content.value.toString().trim() === "") return refuse(`--file ${path} has no record in it`);
  return ok({ type, body: { type: mediaType, content: content.value } });
}

function findMediaType(path: string): NonNullable<ServiceCall["body"]>["type"] | null {
  if (/\.json$/i.test(path)) return "application/json";
  return /\.(ndjson|jsonl)$/i.test(path) ? "application/x-ndjson" : null;
}
