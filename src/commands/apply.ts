/**
 * `bellwire apply`: makes an account's webhooks as a file has them, through a running service whose operator has opened
 * managing. All of the file is tried first, so that a mistake in it changes nothing. Each webhook is then saved by a
 * call of its own, over what was seen: whoever stops in between starts again with the same file.
 */
import { sleep, systemClock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import { terminalText } from "../receiver/terminal-text.ts";
import { misuse, JSON_FLAG, JSON_HELP, readArgumentsWithWords, show } from "./arguments.ts";
import { readWanted, type Wanted } from "./apply-file.ts";
import type { Command, CommandIo } from "./command.ts";
import {
  ACCESS_FLAGS,
  type AccountCalls,
  isProblem,
  MANAGE_KEY,
  MANAGING_CLOSED,
  openAccount,
} from "./service-access.ts";
import { parseJson, type ServiceAnswer, type ServiceCall } from "./service-client.ts";
import { readSettings } from "./start-up.ts";

const HELP = `Usage: bellwire apply FILE --key-file path [--account id] [--prune] [--dry-run] [--json]

Makes and changes an account's webhooks as a file has them, and prints the difference. The same file again changes
nothing. docs/manage.md says what stands in it.

  --key-file path   file that holds a key that manages
  --key key         the key itself; others on this machine can see it in the list of processes
  --account id      the account (default: main, which the service's first start makes)
  --prune           deletes webhooks that an apply has made and that the file has no more
  --dry-run         prints the difference alone
${JSON_HELP}
  --url address     the service (default: the one on this machine, at BELLWIRE_PORT)`;

const FLAGS = {
  account: { type: "string", default: "main" },
  prune: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  ...JSON_FLAG,
  ...ACCESS_FLAGS,
} as const;

export const apply: Command = async (io) => {
  const given = readArgumentsWithWords(io, HELP, FLAGS);
  if (given.kind === "done") return given.exitCode;
  const { key, "key-file": keyFile, prune, "dry-run": isDryRun, json } = given.values;
  const [file, ...more] = given.words;
  if (file === undefined || more.length > 0) return misuse(io, HELP, "give one file");
  if ((key === undefined) === (keyFile === undefined))
    return misuse(io, HELP, "give the key with --key-file, or --key");
  const wanted = readWanted(io, file);
  const config = wanted && readSettings(io);
  await using account = config && openAccount(io, config, { ...given.values, keyWanted: MANAGE_KEY });
  if (wanted === null || account === null) return 1;
  const plan = await makePlan({ io, account }, wanted, prune);
  if (plan === null) return 1;
  const isDone = isDryRun || (await carryOut({ io, account }, plan, wanted));
  const value = { is_dry_run: isDryRun, webhooks: plan.map(({ id, outcome, changed }) => ({ id, outcome, changed })) };
  if (isDone) show(io, json, { value, lines: () => describePlan(plan, isDryRun) });
  return isDone ? 0 : 1;
};

interface Asking {
  readonly io: CommandIo;
  readonly account: AccountCalls;
}

interface Step {
  readonly id: string;
  readonly outcome: "created" | "changed" | "unchanged" | "deleted";
  readonly changed: readonly string[];
  /** Of what is there. */
  readonly etag: string | null;
}

/** What the service says that the file would do; `null` when it refuses any of it: all that it refuses was said. */
async function makePlan(asking: Asking, wanted: Wanted, prune: boolean): Promise<readonly Step[] | null> {
  const steps: Step[] = [];
  let isRefused = false;
  for (const [id, settings] of wanted) {
    const answer = await ask(asking, { ...toPut(id, settings), path: `webhooks/${encodeURIComponent(id)}?dry_run=1` });
    const step = answer.kind === "answered" && answer.status === 200 ? parseJson(answer.text) : undefined;
    if (isStep(step)) {
      steps.push({ id, outcome: step.outcome, changed: step.changed, etag: step.etag });
      continue;
    }
    isRefused = true;
    refuseStep(asking, id, answer);
    if (!isOfOne(answer)) return null;
  }
  const gone = prune && !isRefused ? await listGone(asking, wanted) : [];
  return isRefused || gone === null ? null : [...steps, ...gone];
}

/** Whether another webhook of the file may fare better. */
function isOfOne(answer: ServiceAnswer): boolean {
  const problem = answer.kind === "answered" ? parseJson(answer.text) : undefined;
  return isProblem(problem) && !OF_ALL.has(problem.code);
}

/** Refusals of the call, the key or the account. */
const OF_ALL: ReadonlySet<string> = new Set([
  "not_found",
  "unauthorized",
  "too_many_bad_keys",
  "key_not_allowed",
  "too_many_reads",
  "account_not_found",
  "account_suspended",
  "account_deleted",
  "store_unavailable",
  "held",
  "internal_error",
]);

const isStep = (value: unknown): value is Step =>
  typeof value === "object" && value !== null && "outcome" in value && "changed" in value && "etag" in value;

const toPut = (id: string, settings: unknown): ServiceCall => ({
  method: "PUT",
  path: `webhooks/${encodeURIComponent(id)}?applied=1`,
  body: { type: "application/json", content: JSON.stringify(settings) },
});

/** Those that an apply has made, and the file has no more. */
async function listGone(asking: Asking, wanted: Wanted): Promise<readonly Step[] | null> {
  const answer = await ask(asking, { method: "GET", path: "webhook-ids" });
  const found = answer.kind === "answered" && answer.status === 200 ? parseJson(answer.text) : undefined;
  if (!isIds(found)) {
    asking.account.explain(answer);
    return null;
  }
  const gone = found.webhooks.filter(({ id, is_applied: isApplied }) => isApplied && !wanted.has(id));
  return gone.map(({ id, etag }) => ({ id, outcome: "deleted", changed: [], etag }));
}

interface Ids {
  readonly webhooks: readonly { readonly id: string; readonly is_applied: boolean; readonly etag: string }[];
}

const isIds = (value: unknown): value is Ids =>
  typeof value === "object" && value !== null && "webhooks" in value && Array.isArray(value.webhooks);

/** False: one was refused, which was said; those before it are done. */
async function carryOut(asking: Asking, plan: readonly Step[], wanted: Wanted): Promise<boolean> {
  for (const { id, outcome, etag } of plan) {
    if (outcome === "unchanged") continue;
    const headers: Record<string, string> = etag === null ? { "if-none-match": "*" } : { "if-match": etag };
    const call: ServiceCall =
      outcome === "deleted"
        ? { method: "DELETE", path: `webhooks/${encodeURIComponent(id)}` }
        : toPut(id, wanted.get(id));
    const answer = await ask(asking, { ...call, headers });
    if (answer.kind === "answered" && answer.status < 300) continue;
    refuseStep(asking, id, answer);
    asking.io.err("What stands before it in the file is done. Run it again to go on.");
    return false;
  }
  return true;
}

/** A service takes so many calls a second of a key. Guess: it is the only user of its key, or soon again. */
const TRIES_MAX = 30;

async function ask({ account }: Asking, call: ServiceCall): Promise<ServiceAnswer> {
  let answer = await account.call(call);
  for (let tries = 1; tries < TRIES_MAX && isBusy(answer); tries += 1) {
    await sleep(systemClock, secondsMs(1));
    answer = await account.call(call);
  }
  return answer;
}

/** A wrong key stays wrong. */
const isBusy = (answer: ServiceAnswer): boolean =>
  answer.kind === "answered" && answer.status === 429 && !answer.text.includes('"too_many_bad_keys"');

function refuseStep({ io, account }: Asking, id: string, answer: ServiceAnswer): void {
  io.err(`${terminalText(id, WORDS_CHARS_MAX)}:`);
  const problem = answer.kind === "answered" ? parseJson(answer.text) : undefined;
  if (isProblem(problem) && problem.code === "not_found") io.err(`${MANAGING_CLOSED} Or the key was taken back.`);
  else account.explain(answer);
}

/** A file may come from elsewhere, and `--url` may lead anywhere. */
const WORDS_CHARS_MAX = 1_000;

const SIGNS = { created: "+", changed: "~", deleted: "-" } as const;

function describePlan(plan: readonly Step[], isDryRun: boolean): string[] {
  const lines = plan.flatMap(({ id, outcome, changed }) =>
    outcome === "unchanged" ? [] : [`${SIGNS[outcome]} ${id}${changed.length > 0 ? `: ${changed.join(", ")}` : ""}`],
  );
  const count = (wanted: Step["outcome"]): string =>
    `${plan.filter(({ outcome }) => outcome === wanted).length} ${wanted}`;
  const counts = (["created", "changed", "deleted", "unchanged"] as const).map(count).join(", ");
  const shown = lines.map((line) => terminalText(line, WORDS_CHARS_MAX));
  return [...shown, isDryRun ? `It would be: ${counts}.` : `Done: ${counts}.`];
}
