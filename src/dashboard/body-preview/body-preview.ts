/**
 * A webhook's body while somebody edits it: what it would have been for the latest events, and which of them lack a
 * value. It makes bodies of what the form has, saved or not, by the code that makes them when they are sent.
 */
import { bodyTextOf } from "../../bodies/body-text.ts";
import { renderBody } from "../../bodies/render-body.ts";
import { sourceOf } from "../../bodies/sent-body.ts";
import { checkTemplate, listPaths, parseTemplate } from "../../bodies/template.ts";
import { createValues } from "../../bodies/values.ts";
import type { BodySettings } from "../../domain/body.ts";
import { newId } from "../../domain/id.ts";
import type { Result } from "../../domain/problem.ts";
import type { EventType } from "../../events/event-type.ts";
import { asMembers } from "../../events/summary.ts";
import { ok } from "../../lib/result.ts";
import type { DashboardContext } from "../call/context.ts";
import { freshView } from "../call/fresh-view.ts";
import type { Handler, Handlers } from "../call/operation.ts";
import { findWanted } from "../conditions/conditions.ts";
import { mapLatestBodies, readPayload, type StoredBody, type WantedLatest } from "../conditions/latest-events.ts";
import type { BodyPreview, BodyPreviewBody, MissingValue, PreviewedEvent } from "../contract/body-preview.ts";
import type { Session } from "../guard/session.ts";
import { builtInBody } from "../tests/samples.ts";
import { readMessage, toTemplate } from "./message.ts";

const previewAlert: Handler<"POST /alerts/body-preview"> = async (ctx, { session, body }) =>
  await preview(ctx, session, {
    body,
    wanted: { accountId: session.accountId, types: ctx.accounts.types.of("alert") },
  });

const previewAssistant: Handler<"POST /assistants/:id/body-preview"> = async (ctx, { session, params, body }) => {
  const wanted = await findWanted(ctx, session, params.id);
  return wanted.ok ? await preview(ctx, session, { body, wanted: wanted.value }) : wanted;
};

/** Types that nobody declares any more are passed over. */
const previewWebhook: Handler<"POST /webhooks/body-preview"> = async (ctx, { session, body: { types, ...body } }) => {
  const { all } = ctx.accounts.types;
  const named = types === "all" ? all : all.filter(({ type }) => types.includes(type));
  return await preview(ctx, session, { body, wanted: { accountId: session.accountId, types: named } });
};

export const bodyPreviewHandlers = {
  "POST /alerts/body-preview": previewAlert,
  "POST /assistants/:id/body-preview": previewAssistant,
  "POST /webhooks/body-preview": previewWebhook,
} satisfies Handlers;

interface Asked {
  readonly body: BodyPreviewBody;
  readonly wanted: WantedLatest;
}

async function preview(
  ctx: DashboardContext,
  session: Session,
  { body: { shown, ...settings }, wanted }: Asked,
): Promise<Result<BodyPreview>> {
  const { paths, warnings, mistakes } = readTemplate(wanted.types, settings);
  if (mistakes.length > 0) return ok({ ...NOTHING, mistakes });
  const make = (event: StoredBody) => makeOne(ctx, { settings, paths, event });
  const found = await mapLatestBodies(ctx, wanted, make);
  if (found.length > 0) return ok({ ...toPreview(found, shown), isExample: false, warnings, mistakes });
  const view = await freshView(ctx, session);
  if (!view.ok) return view;
  const examples = wanted.types.slice(0, 1).map((type) => toExample(ctx, type, view.value.account.appUrl));
  return ok({ ...toPreview(examples.map(make), shown), isExample: true, warnings, mistakes });
}

const NOTHING = { events: [], shown: null, missing: [], isExample: false, warnings: [] };

/** Somebody who types a template has one with mistakes most of the time, so they are no refusal of the call. */
function readTemplate(types: readonly EventType[], { body, template }: BodySettings) {
  const read = { paths: [] as readonly string[], warnings: [] as string[], mistakes: [] as string[] };
  if (body !== "template") return read;
  const parsed = parseTemplate(template ?? "");
  const checked = checkTemplate(types, template ?? "");
  const messages = (checked.ok ? checked.value : checked.error).map(({ message }) => message);
  if (!parsed.ok || !checked.ok) return { ...read, mistakes: messages };
  return { ...read, paths: listPaths(parsed.value), warnings: messages };
}

function toExample({ accounts }: DashboardContext, type: EventType, appUrl: string): StoredBody {
  const { clock, random, types } = accounts;
  const body = builtInBody(type, appUrl);
  const acceptedAtMs = clock.nowMs();
  const about = types.read(type.type).readAbout(asMembers(readPayload(body)));
  const id = newId("evt", acceptedAtMs, random);
  return { body, event: { id, type: type.type, sourceId: null, acceptedAtMs, about } };
}

interface ToMake {
  readonly settings: BodySettings;
  readonly paths: readonly string[];
  readonly event: StoredBody;
}

/** The one that is shown is made once more: the bodies of fifty events would be too much to keep. */
interface Made {
  readonly event: PreviewedEvent;
  readonly lacks: readonly string[];
  readonly show: () => Omit<NonNullable<BodyPreview["shown"]>, "place">;
}

/** A preview has no delivery, whose id the webhook would have. */
const NO_ID = `dlv_${"0".repeat(26)}`;

function makeOne({ accounts: { types } }: DashboardContext, { settings, paths, event: { event, body } }: ToMake): Made {
  const { id: eventId, type, sourceId, acceptedAtMs, about } = event;
  const source = sourceOf({ id: NO_ID, eventId, body });
  const text = bodyTextOf(settings, { eventType: types.find(type), name: type });
  const make = () => (text === null ? ok(body) : renderBody(text, source));
  const made = make();
  const values = createValues(source);
  return {
    event: { eventId, type, sourceId, acceptedAtMs, about, bytes: made.ok ? Buffer.byteLength(made.value) : null },
    lacks: paths.filter((path) => !values.has(path)),
    show() {
      const sent = make();
      const message = text === null ? null : readMessage(text, source);
      return {
        event: body,
        sent: sent.ok ? sent.value : null,
        fault: sent.ok ? "" : sent.error.message,
        message,
        template: text === null ? "" : toTemplate(text, source),
      };
    },
  };
}

function toPreview(
  made: readonly Made[],
  shownId: string | null,
): Omit<BodyPreview, "isExample" | "warnings" | "mistakes"> {
  const place = Math.max(
    0,
    made.findIndex(({ event }) => event.eventId === shownId),
  );
  const shown = made[place];
  return {
    events: made.map(({ event }) => event),
    shown: shown === undefined ? null : { place, ...shown.show() },
    missing: listMissing(made),
  };
}

function listMissing(made: readonly Made[]): readonly MissingValue[] {
  const places = new Map<string, number[]>();
  for (const [place, { lacks }] of made.entries()) {
    for (const path of lacks) places.getOrInsertComputed(path, () => []).push(place);
  }
  return Array.from(places, ([path, without]) => ({ path, places: without })).toSorted(
    (one, other) => other.places.length - one.places.length,
  );
}
