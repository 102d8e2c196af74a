/**
 * What an installation's event types were declared as when it was last started. A start keeps it and warns of changes
 * that break somebody; `bellwire events check` compares with it before, so that a build can fail.
 */
import { existsSync } from "node:fs";
import type { Config } from "../config/options.ts";
import type { Result } from "../domain/problem.ts";
import { ok, refuse } from "../lib/result.ts";
import { DECLARATION_LIMITS, type Declaration } from "../events/declared/declaration.ts";
import { describeBreak, findBreaks } from "../events/declared/find-breaks.ts";
import type { EventTypes } from "../events/event-types.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../observe/log.ts";
import type { InstallationVerbs, KeptDeclaration } from "../store/contract/installation.ts";
import { isClosedToUs } from "./installation.ts";
import { StoreUnavailable, StoreUnusable } from "../store/contract/store.ts";

/** A start declares no more. */
const KEPT = { typesMax: DECLARATION_LIMITS.typesMax };

/** `null`: there is no installation. Refused with a sentence where one is named and cannot be read. */
export async function readKnownTypes({
  database,
  databasePooler: pooler,
}: Config): Promise<Result<readonly Declaration[] | null, string>> {
  try {
    if (database.kind === "postgres") {
      const postgres = await import("../store/postgres/inspect.ts");
      return ok(parseAll(await postgres.readDeclarations({ url: database.url, pooler }, KEPT)));
    }
    if (isClosedToUs(database.path)) return refuse(`${database.path} is closed to this user`);
    if (!existsSync(database.path)) return ok(null);
    const sqlite = await import("../store/sqlite/inspect.ts");
    return ok(parseAll(await sqlite.readDeclarations(database.path, KEPT)));
  } catch (error) {
    if (error instanceof StoreUnusable || error instanceof StoreUnavailable) return refuse(error.message);
    throw error;
  }
}

const parseAll = (kept: readonly KeptDeclaration[]): Declaration[] =>
  kept.map(({ declaration }) => JSON.parse(declaration) as Declaration);

export interface TypesAtStart {
  readonly store: Pick<InstallationVerbs, "listDeclarations" | "saveDeclaration">;
  readonly types: EventTypes;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

/** Guess: a line of a log. */
const BREAKS_SHOWN = 20;

/**
 * Keeps what this start declares. A change that breaks somebody is warned of, and the service starts: `events check`
 * has told the operator before, and a refusal would stop the deliveries of all other types too.
 */
export async function keepTypes({ store, types, clock, log }: TypesAtStart): Promise<void> {
  const kept = await store.listDeclarations(KEPT);
  const breaks = findBreaks(parseAll(kept), types.declarations);
  for (const [type, found] of Map.groupBy(breaks, (each) => each.type)) {
    log.warn(
      { type, breaks: found.slice(0, BREAKS_SHOWN).map(describeBreak), count: found.length },
      "event_type.broken",
    );
  }
  const known = new Map(kept.map(({ type, declaration }) => [type, declaration]));
  const declared = new Map(types.declarations.map((each) => [each.type, JSON.stringify(each)]));
  for (const type of new Set([...known.keys(), ...declared.keys()])) {
    const declaration = declared.get(type) ?? null;
    if (declaration !== (known.get(type) ?? null)) {
      await store.saveDeclaration({ type, declaration, nowMs: clock.nowMs() });
    }
  }
}
