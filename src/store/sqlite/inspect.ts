/** Looks into a database file without changing it, also while a service has it. */
import { DatabaseSync } from "node:sqlite";
import type { KeptDeclaration } from "../contract/installation.ts";
import { StoreUnusable } from "../contract/store.ts";
import { listDeclarations } from "../sql/settings.ts";
import { type PlainValue, bind, translate } from "./connection/translate.ts";
import { describeFailure } from "./failures.ts";

/** What its event types were declared as at the last start. Rejects with `StoreUnusable` where it cannot be read. */
export async function readDeclarations(
  path: string,
  params: { typesMax: number },
): Promise<readonly KeptDeclaration[]> {
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    const all = <Row>(sql: string, ...values: PlainValue[]): Row[] => {
      const { text, order } = translate(sql);
      return database.prepare(text).all(...bind(order ?? [], values)) as Row[];
    };
    return await listDeclarations({ db: { all } }, params);
  } catch (error) {
    throw new StoreUnusable(`${path} cannot be read: ${describeFailure(error)}`, { cause: error });
  }
}
