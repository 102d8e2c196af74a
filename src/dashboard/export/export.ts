/**
 * `GET dashboard/export/deliveries.csv` and `….ndjson`: every delivery that the log's filters find, as a file. It is
 * written page by page while the browser takes it, so memory stays the same for a million rows, and it ends when the
 * browser goes away. A store that fails in the middle breaks the download off: a file that ends in order is whole.
 *
 * It changes nothing, so a plain link calls it. The session's cookie is `SameSite=Strict`: no other site's link does.
 */
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Problem, type Result, problem } from "../../domain/problem.ts";
import { ok, refuse } from "../../lib/result.ts";
import { type Contact, readContact } from "../../events/summary.ts";
import { sendProblem } from "../../http/problem-response.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ListedDelivery } from "../../store/contract/log.ts";
import type { DashboardContext } from "../call/context.ts";
import { createQueryReader, invalidQuery } from "../call/operation.ts";
import { exportQuery } from "../forms/queries.ts";
import { type DeliveryFilter, readDeliveryQuery } from "../deliveries/query.ts";
import { searchLog } from "../deliveries/search.ts";
import { toDeliveryRow } from "../deliveries/words.ts";
import { destinationsById } from "../destinations/destinations.ts";
import type { Guard } from "../guard/guard.ts";
import {
  BYTE_ORDER_MARK,
  createZonedFormat,
  CSV_HEAD,
  type ExportedRow,
  type FormatInstant,
  toCsvLine,
  toNdjsonLine,
} from "./export-rows.ts";

/** Rows of a page, which is one call of the store and one piece of the file. Guess: 5 ms of the store's time. */
const PAGE_ROWS = 500;

/** One person does not need more at once, and each reads the whole log. */
const EXPORTS_MAX = 2;

interface Format {
  readonly type: string;
  readonly head: string;
  readonly toLine: (row: ExportedRow, format: FormatInstant) => string;
}

const FORMATS: Readonly<Record<string, Format>> = {
  csv: { type: "text/csv; charset=utf-8", head: `${BYTE_ORDER_MARK}${CSV_HEAD}`, toLine: toCsvLine },
  ndjson: { type: "application/x-ndjson; charset=utf-8", head: "", toLine: toNdjsonLine },
};

export function registerExport(scope: FastifyInstance, ctx: DashboardContext, guard: Guard): void {
  const running = new Map<string, number>();
  for (const [name, format] of Object.entries(FORMATS)) {
    const options = { exposeHeadRoute: false, config: { authHook: guard.authHookFor("viewer") } };
    scope.get(`/export/deliveries.${name}`, options, async (request, reply) => {
      const { accountId } = guard.getSession(request);
      const asked = readAsked(request);
      if (!asked.ok) return sendProblem(reply, asked.error);
      const already = running.get(accountId) ?? 0;
      if (already >= EXPORTS_MAX) return sendProblem(reply, tooMany);
      running.set(accountId, already + 1);
      // One page ahead of the browser, no more.
      const file = Readable.from(writeFile(ctx, { accountId, format, ...asked.value }), { highWaterMark: 1 });
      file.once("close", () => endOne(running, accountId));
      return sendFile(reply, file, { name: fileName(ctx.accounts.clock, name), type: format.type });
    });
  }
}

function endOne(running: Map<string, number>, accountId: string): void {
  const left = (running.get(accountId) ?? 1) - 1;
  if (left === 0) running.delete(accountId);
  else running.set(accountId, left);
}

function sendFile(reply: FastifyReply, file: Readable, { name, type }: { name: string; type: string }): FastifyReply {
  return reply
    .header("content-type", type)
    .header("content-disposition", `attachment; filename="${name}"`)
    .header("x-accel-buffering", "no")
    .send(file);
}

const fileName = (clock: Clock, ending: string): string =>
  `deliveries-${new Date(clock.nowMs()).toISOString().slice(0, 10)}.${ending}`;

interface Asked {
  readonly filter: DeliveryFilter;
  readonly instant: FormatInstant;
}

const readQuery = createQueryReader(exportQuery);

function readAsked(request: FastifyRequest): Result<Asked> {
  const query = readQuery(request);
  if (!query.ok) return query;
  const { zone = "UTC", ...filters } = query.value;
  const instant = createZonedFormat(zone);
  const message = "must be the name of a time zone, such as Europe/Berlin";
  if (instant === null) return refuse(invalidQuery([{ path: "zone", message }]));
  const filter = readDeliveryQuery(filters);
  return filter.ok ? ok({ filter: filter.value, instant }) : filter;
}

interface File extends Asked {
  readonly accountId: string;
  readonly format: Format;
}

/**
 * Newest first, as the log has them. It waits after each page for as long as the page took, so that an export leaves
 * half of the store's time to others.
 */
async function* writeFile(ctx: DashboardContext, { accountId, format, filter, instant }: File): AsyncGenerator<string> {
  const { store, clock } = ctx.accounts;
  const { schedule } = ctx.delivery;
  const destinations = await destinationsById(ctx, { accountId });
  const { phrases, ...wanted } = filter;
  let before = filter.before;
  let text = format.head;
  do {
    const startMs = clock.monotonicMs();
    const asked = { ...wanted, accountId, before, limit: PAGE_ROWS };
    const page = await (phrases === undefined ? store.listDeliveries(asked) : searchLog(ctx, { ...asked, phrases }));
    const contacts = await loadContacts(ctx, accountId, page.deliveries);
    for (const delivery of page.deliveries) {
      const { eventId } = delivery;
      const contact = contacts.get(eventId) ?? UNKNOWN;
      const row = { ...toDeliveryRow(delivery, { schedule, destinations }), eventId, ...contact };
      text += format.toLine(row, instant);
    }
    // A stream of text takes no empty piece.
    if (text !== "") yield text;
    text = "";
    before = page.next;
    if (before !== null) await pauseFor(clock, clock.monotonicMs() - startMs);
  } while (before !== null);
}

type KnownBy = Contact & Pick<ExportedRow, "sourceId">;

const UNKNOWN: KnownBy = { ...readContact(null), sourceId: null };

/** Bodies in memory at once, of up to 1 MiB each. */
const BODIES_AT_ONCE = 50;

/** By the event's id. A session that went to nine webhooks is read once. */
async function loadContacts(
  { accounts: { store } }: DashboardContext,
  accountId: string,
  deliveries: readonly ListedDelivery[],
): Promise<ReadonlyMap<string, KnownBy>> {
  const ids = [...new Set(deliveries.map(({ eventId }) => eventId))];
  const contacts = new Map<string, KnownBy>();
  for (let from = 0; from < ids.length; from += BODIES_AT_ONCE) {
    const eventIds = ids.slice(from, from + BODIES_AT_ONCE);
    for (const { id, sourceId, body } of await store.listEventBodies({ accountId, eventIds })) {
      contacts.set(id, { ...readContact(body), sourceId });
    }
  }
  return contacts;
}

const pauseFor = async (clock: Clock, ms: number): Promise<void> => {
  await new Promise<void>((resolve) => void clock.after(Math.min(ms, PAUSE_MS_MAX), resolve));
};

/** A browser that takes the file slowly is waited for already. */
const PAUSE_MS_MAX = 50;

const tooMany: Problem = problem(
  "too_many_exports",
  `This account has ${EXPORTS_MAX} exports under way. Wait for one of them to end.`,
);
