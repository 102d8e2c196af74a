/** `bellwire send`: hands records to a running service as the product's back end does, a sample or a file of them. */
import { EVENT_FAMILIES } from "../events/catalog.ts";
import { EVENT_TYPES, type EventType, eventFacts, ownerKindOf } from "../domain/event.ts";
import { LIMITS } from "../domain/limits.ts";
import { type Result, ok, refuse } from "../domain/problem.ts";
import { systemClock } from "../lib/clock.ts";
import { systemRandom, newUuid } from "../lib/random.ts";
import { misuse, readArguments, wholeNumberFlag } from "./arguments.ts";
import type { Command, CommandIo } from "./command.ts";
import { readFile } from "./read-file.ts";
import { type Counts, readAnswers } from "./send-answers.ts";
import { ACCESS_FLAGS, ACCESS_HELP, type ServiceAccess, explainFailure, resolveAccess } from "./service-access.ts";
import { type ServiceCall, createServiceClient } from "./service-client.ts";
import { readSettings } from "./start-up.ts";

const NAMES = EVENT_TYPES.map((type) => eventFacts(type).family);
const EITHER = NAMES.join(" or ");
const DEFAULT = eventFacts(EVENT_TYPES[0]);
const PLURALS = EVENT_TYPES.map((type) => `${eventFacts(type).family} (${eventFacts(type).noun}s)`).join(" or ");
const SAMPLE = DEFAULT.record.toLowerCase();

const HELP = `Usage: bellwire send [--family ${NAMES.join("|")}] [--count n]
       bellwire send --family ${NAMES.join("|")} --file records.json|records.ndjson

Sends sample records with fresh ids and the present time, or a file's records as they stand, and prints what the
service answers. Sending a file again is safe: records that it knows are not delivered twice.

  --family name     ${PLURALS}; a sample is a ${SAMPLE} unless this says otherwise
  --account id      the account (default: main, which the service's first start makes)
  --count n         how many samples (default 1, at most ${LIMITS.batchRecordsMax})
  --file path       one record as .json, or one record a line as .ndjson or .jsonl
${ACCESS_HELP}`;

const FLAGS = {
  family: { type: "string" },
  account: { type: "string", default: "main" },
  count: { type: "string" },
  file: { type: "string" },
  ...ACCESS_FLAGS,
} as const;

interface Shipment {
  readonly type: EventType;
  readonly accountId: string;
  readonly body: NonNullable<ServiceCall["body"]>;
}

export const send: Command = async (io) => {
  const given = readArguments(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { family, account: accountId, count, file } = given.values;
  const body = file === undefined ? samples(family ?? DEFAULT.family, count) : readContent(file, { family, count });
  if (!body.ok) return misuse(io, HELP, body.error);
  const config = readSettings(io);
  if (config === null) return 1;
  const access = resolveAccess(given.values, config);
  if (access.ok) return await ship(io, access.value, { accountId, ...body.value });
  io.err(access.error);
  return 1;
};

async function ship(io: CommandIo, access: ServiceAccess, { type, accountId, body }: Shipment): Promise<number> {
  await using client = createServiceClient(access);
  const path = `/v1/accounts/${encodeURIComponent(accountId)}/${eventFacts(type).path}`;
  const answer = await client.call({ method: "POST", path, body });
  const answers = answer.kind === "answered" ? readAnswers(answer) : null;
  if (answers === null) {
    for (const line of explainFailure(answer, access, accountId)) io.err(line);
    return 1;
  }
  for (const line of answers.lines) io.out(line);
  if (answers.counts.all > 1) io.out(totals(answers.counts));
  if (answers.counts.undelivered > 0) io.err(nowhereToGo(type, answers.counts));
  return answers.counts.refused === 0 ? 0 : 1;
}

const totals = ({ accepted, known, refused }: Counts): string =>
  `${accepted} accepted, ${known} known already, ${refused} refused`;

/** An accepted record without a delivery puzzles people most, so the possible reasons are named. */
function nowhereToGo(type: EventType, { undelivered }: Counts): string {
  const why =
    ownerKindOf(type) === "alert"
      ? "no alert with Webhooks switched on fires for it, or the account's plan is below Starter"
      : "its chat assistant has no Webhook URL";
  return `${undelivered} went to no destination: ${why}. Set one up in the dashboard.`;
}

type Content = Result<Omit<Shipment, "accountId">, string>;

function samples(family: string, countText = "1"): Content {
  const count = wholeNumberFlag("--count", countText, [1, LIMITS.batchRecordsMax]);
  const type = findType(family);
  if (type === undefined) return refuse(`--family "${family}" must be ${EITHER}`);
  if (!count.ok) return count;
  const records = Array.from({ length: count.value }, () => JSON.stringify(freshSample(type)));
  const [first = ""] = records;
  if (records.length === 1) return ok({ type, body: { type: "application/json", content: first } });
  return ok({ type, body: { type: "application/x-ndjson", content: records.join("\n") } });
}

/** The family's documented sample, with the present as its time. */
function freshSample(type: EventType): Record<string, unknown> {
  const family = EVENT_FAMILIES[type];
  return { ...family.sampleRecord, id: newUuid(systemRandom), ...family.toTimes(systemClock.nowMs()) };
}

interface FileFlags {
  readonly family: string | undefined;
  readonly count: string | undefined;
}

/**
 * The file's bytes go out untouched: a record may hold numbers that would not survive being read and written. The
 * family is not guessed, since a wrong guess would end as a list of unknown fields.
 */
function readContent(path: string, { family, count }: FileFlags): Content {
  if (count !== undefined) return refuse("--count is for samples; a file is sent as it is, once");
  if (family === undefined)
    return refuse(`--file needs --family ${NAMES.join(" or --family ")}: the file does not say it itself`);
  const type = findType(family);
  if (type === undefined) return refuse(`--family "${family}" must be ${EITHER}`);
  const mediaType = findMediaType(path);
  if (mediaType === null)
    return refuse(`--file ${path} must end in .json (one record), .ndjson or .jsonl (one a line)`);
  const content = readFile(path);
  if (!content.ok) return refuse(`--file ${path} cannot be read (${content.error})`);
  if (content.value.toString().trim() === "") return refuse(`--file ${path} has no record in it`);
  return ok({ type, body: { type: mediaType, content: content.value } });
}

const findType = (family: string): EventType | undefined =>
  EVENT_TYPES.find((type) => eventFacts(type).family === family);

function findMediaType(path: string): NonNullable<ServiceCall["body"]>["type"] | null {
  if (/\.json$/i.test(path)) return "application/json";
  return /\.(ndjson|jsonl)$/i.test(path) ? "application/x-ndjson" : null;
}
