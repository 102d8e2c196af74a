/**
 * A declared type beside the built-in one, for what a webhook of it costs: the same members under the same schema, in a
 * body of as many bytes, so that only the way to it differs. Each of 8 accounts has one webhook that wants the type, or
 * one alert that fires for every session: no conditions on either side.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readEventTypes } from "../../src/events/declared/read-event-types.ts";
import { demoViewed } from "../../src/events/demo-viewed.ts";
import { createEventTypes } from "../../src/events/event-types.ts";
import { setUpAccounts } from "../../test/kit/process/account.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { bodyText, DECLARED_TYPE } from "../record.ts";
import type { Rig } from "../rig.ts";

export const ACCOUNTS = Array.from({ length: 8 }, (_, number) => `account-${number}`);

/** Makes the folder of the type's file, and returns its path. */
export function declareType(folder: string): string {
  const events = join(folder, "events");
  mkdirSync(events);
  const { event: _, ...example } = JSON.parse(bodyText(0)) as Record<string, unknown>;
  writeFileSync(join(events, "type.json"), JSON.stringify({ ...DECLARATION, schema: toSchema(), example }));
  return events;
}

const DECLARATION = {
  type: DECLARED_TYPE,
  title: "A session as a declared type",
  key: "/id",
  occurred_at: "/viewed_at",
  headline: ["/lead/email", "/name"],
  search: ["/lead/first_name", "/lead/last_name", "/lead/email", "/buyer_reveal/company_name", "/name"],
};

function toSchema(): object {
  const { properties, required, ...schema } = JSON.parse(JSON.stringify(demoViewed.bodySchema)) as {
    readonly properties: Record<string, object>;
    readonly required: readonly string[];
  };
  const { event: _, ...members } = properties;
  return {
    ...schema,
    properties: { ...members, viewed_at: { type: "string", format: "date-time" } },
    required: required.filter((name) => name !== "event"),
  };
}

interface Place {
  readonly dataDir: string;
  readonly database?: string;
  readonly events: string;
}

export async function setUpDestinations({ port }: Rig, { events, ...place }: Place, isDeclared: boolean) {
  const types = createEventTypes(toValue(readEventTypes(events, { taken: [] })));
  const url = `http://127.0.0.1:${port}/in/0`;
  const webhooks = isDeclared ? [{ url, events: [{ type: DECLARED_TYPE }] }] : [];
  await setUpAccounts({ ...place, types, webhooks, alerts: isDeclared ? [] : [{ url }] }, ACCOUNTS);
}
