/** The product's inbox table in PostgreSQL, whose rows are accepted like records of the intake. */
import { type Inbox, createInbox } from "../intake/inbox.ts";
import { createInboxReport } from "../observe/inbox-report.ts";
import type { Observation } from "./observation.ts";
import type { AppOptions, Part } from "./options.ts";
import type { Path } from "./path.ts";
import type { Storage } from "./storage.ts";

export interface InboxParams {
  readonly options: AppOptions;
  readonly storage: Storage;
  readonly path: Pick<Path, "accept">;
  readonly observation: Observation;
}

export function createInboxPart(params: InboxParams): Part {
  const inbox = createOwnInbox(params);
  return {
    start: () => inbox?.start(),
    async stop() {
      await inbox?.stop();
    },
  };
}

/** `null` with SQLite: the product cannot write to that database, so there is no table to look at. */
function createOwnInbox({ options, storage, path, observation }: InboxParams): Inbox | null {
  if (options.config.database.kind !== "postgres") return null;
  const { store, clock, random } = storage;
  const report = createInboxReport(observation);
  return createInbox({ store, clock, random, accept: (accountId, records) => path.accept(accountId, records), report });
}
