/** Filters of the log under a name, which everybody of the account sees. */
import { OF_ACCOUNT, type VerbTable } from "./verb-table.ts";

export interface SavedViewsVerbs {
  /** By name. */
  listViews(params: { readonly accountId: string }): Promise<readonly SavedView[]>;
  /**
   * In the place of the one of its name, and of the one with its filters. `full`: there are `viewsMax` others. Without
   * a search it is taken away, also where there is none.
   */
  putView(params: PutView): Promise<"done" | "full">;
}

export const SAVED_VIEWS_VERBS = {
  listViews: { kind: "side", reads: true, route: OF_ACCOUNT },
  putView: { kind: "side", route: OF_ACCOUNT },
} satisfies VerbTable<SavedViewsVerbs>;

export interface SavedView {
  readonly name: string;
  /** As it stands in the address: `status=failed&range=24h`. */
  readonly search: string;
}

export interface PutView {
  readonly accountId: string;
  readonly name: string;
  readonly search: string | null;
  readonly viewsMax: number;
}
