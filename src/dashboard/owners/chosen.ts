/**
 * One step for many webhooks, whoever owns them: pause, turn on, delete, another host, a header, a tag. Each goes
 * through the verb that does it for one, so it is checked, limited and audited alike; the answer says of each why it is
 * as it was. One after the other: a call takes one connection to the store, however many there are.
 */
import {
  loadSavedOwner,
  moveForm,
  NO_URL,
  type SavedOwner,
  toSavedForm,
  withHeader,
  withTag,
} from "../../accounts/change-saved.ts";
import type { Owner } from "../../domain/event.ts";
import { isPulled } from "../../domain/pull.ts";
import { type Problem, problem, type Result } from "../../domain/problem.ts";
import type { WebhookForm } from "../../domain/webhook-form.ts";
import { ok, refuse } from "../../lib/result.ts";
import { StoreUnavailable } from "../../store/contract/store.ts";
import type { DashboardContext } from "../call/context.ts";
import { freshView } from "../call/fresh-view.ts";
import type { Handler, Handlers } from "../call/operation.ts";
import type { ChangedOne, ChosenHosts, ChosenStep } from "../contract/chosen.ts";
import { decideState } from "../destinations/destinations.ts";
import type { Session } from "../guard/session.ts";
import { runSavedTest } from "../tests/tests.ts";

const changeChosen: Handler<"POST /chosen-webhooks"> = async (ctx, { session, body: { owners, change } }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const results: ChangedOne[] = [];
  let isAway = false;
  for (const owner of distinct(owners)) {
    const done: Result<unknown> = isAway ? refuse(NOT_TRIED) : await takeStep(ctx, session, { owner, change });
    isAway ||= !done.ok && done.error === LOST;
    results.push({ ...owner, refusal: done.ok ? null : inWords(done.error) });
  }
  // If URLs have changed, deliveries that wait are due.
  ctx.engine.nudge();
  return ok({ results });
};

const distinct = (owners: readonly Owner[]): readonly Owner[] => [
  ...new Map(owners.map((owner) => [`${owner.kind} ${owner.id}`, owner])).values(),
];

/** Those before it are done, so the call has an answer whatever becomes of the store. */
async function takeStep(ctx: DashboardContext, session: Session, wanted: WantedStep): Promise<Result<unknown>> {
  try {
    const { accountId, by } = session;
    const found = await loadSavedOwner(ctx.accounts, { accountId, by, ...wanted.owner });
    return found.ok ? await applyStep(ctx, session, { step: wanted.change, saved: found.value }) : found;
  } catch (error) {
    if (error instanceof StoreUnavailable) return refuse(LOST);
    throw error;
  }
}

const AWAY = "The account’s data could not be reached";
const LOST = problem("store_unavailable", `${AWAY} just then: look whether this one is changed.`);
const NOT_TRIED = problem("store_unavailable", `${AWAY}, so this one was not tried.`);

interface WantedStep {
  readonly owner: Owner;
  readonly change: ChosenStep;
}

interface FoundStep {
  readonly step: ChosenStep;
  readonly saved: SavedOwner;
}

async function applyStep(
  ctx: DashboardContext,
  session: Session,
  { step, saved }: FoundStep,
): Promise<Result<unknown>> {
  if (step.step === "delete") return await saved.remove();
  const { destination } = saved;
  if (destination === null) return refuse(NO_URL);
  const { id: destinationId } = destination;
  const form = toSavedForm(destination);
  switch (step.step) {
    case "pause":
      return await decideState(ctx, session, { destinationId, state: "paused" });
    case "turn_on":
      return await decideState(ctx, session, { destinationId, state: "on", backlog: step.backlog });
    case "header":
      return await save(saved, ok(withHeader(form, step.header)));
    case "move":
      return await save(saved, moveForm(form, step));
    case "tag":
      return await save(saved, withTag(form, step));
  }
}

/** Refusals of the form, with the header's name in the place of its row. */
async function save(saved: SavedOwner, form: Result<WebhookForm>): Promise<Result<unknown>> {
  if (!form.ok) return form;
  const done = await saved.save(form.value);
  return done.ok ? done : refuse(withNames(done.error, form.value));
}

const withNames = (error: Problem, { headers }: WebhookForm): Problem =>
  error.errors === undefined
    ? error
    : {
        ...error,
        errors: error.errors.map(({ path, message }) => {
          const row = /headers\[(\d+)\]/.exec(path)?.[1];
          return { path: row === undefined ? path : (headers[Number(row)]?.name ?? path), message };
        }),
      };

/** A refusal in one text: what is wrong with which field stands behind the sentence, as far as it is no sentence. */
function inWords({ detail, errors = [] }: Problem): string {
  const faults = errors.map(({ path, message }) => (/^[A-Z“"]/.test(message) ? message : `${path} ${message}`));
  return faults.length === 0 ? detail : `${detail} ${faults.join("; ")}.`;
}

const listHosts: Handler<"POST /chosen-webhooks/hosts"> = async (ctx, { session, body }) => {
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const { accountId, by } = session;
  const found = await Promise.all(
    distinct(body.owners).map((owner) => loadSavedOwner(ctx.accounts, { accountId, by, ...owner })),
  );
  const all = found.flatMap((each) => (each.ok && each.value.destination !== null ? [each.value.destination] : []));
  const called = all.filter((destination) => !isPulled(destination));
  return ok({
    hosts: countNames(called.map(({ url }) => [new URL(url).origin])),
    secretHeaders: countNames(called.map(({ headers }) => headers.flatMap((h) => (h.secret ? [h.name] : [])))),
    authenticated: called.filter(({ authentication }) => authentication !== null).length,
    withoutUrl: found.length - called.length,
  });
};

/** Each name as it is written first, whatever its case. */
function countNames(lists: readonly (readonly string[])[]): ChosenHosts["hosts"] {
  const names = Map.groupBy(lists.flat(), (name) => name.toLowerCase());
  return [...names.values()]
    .map((same) => ({ name: same[0] ?? "", count: same.length }))
    .toSorted((one, other) => other.count - one.count);
}

const testMove: Handler<"POST /chosen-webhooks/move-test"> = async (ctx, { session, body: { owner, move } }) => {
  const { accountId, by } = session;
  const found = await loadSavedOwner(ctx.accounts, { accountId, by, ...owner });
  if (!found.ok) return found;
  const { destination } = found.value;
  if (destination === null) return refuse(NO_URL);
  const form = moveForm(toSavedForm(destination), move);
  if (!form.ok) return refuse({ ...form.error, detail: inWords(form.error) });
  const tested = await runSavedTest(ctx, session, { destinationId: destination.id, toForm: () => form.value });
  if (tested.ok) return tested;
  // The dialog has no rows that could say it: one sentence has all.
  const error = withNames(tested.error, form.value);
  return refuse({ ...error, detail: inWords(error) });
};

export const chosenHandlers = {
  "POST /chosen-webhooks": changeChosen,
  "POST /chosen-webhooks/hosts": listHosts,
  "POST /chosen-webhooks/move-test": testMove,
} satisfies Handlers;
