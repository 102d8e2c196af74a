/** The installation itself: its settings, its declared event types, and whether its storage takes a write. */
import { HOME, type VerbTable } from "./verb-table.ts";

/**
 * The name of the setting that is there while an installation is held: nothing is accepted, and no other server is
 * asked anything. Its value says why.
 */
export const HELD_SETTING = "held";
export const ASKED_TO_HOLD = "it was started by bellwire serve --hold";

export interface InstallationVerbs {
  /** Commits a write and reads it back; rejects with `StoreUnavailable` when that cannot be done. */
  probe(params: { nowMs: number }): Promise<void>;
  /** A small value of the installation itself, such as the check value of its encryption key. */
  loadSetting(params: { name: string }): Promise<string | null>;
  /** The first one stays, of however many nodes: answers the value that is there now, and whether it is this one. */
  saveSettingUnlessThere(params: { name: string; value: string }): Promise<KeptSetting>;
  /** What its event types are declared as since the last start, in the order of their names. */
  listDeclarations(params: { typesMax: number }): Promise<readonly KeptDeclaration[]>;
  /** In the place of the one that the type had; `null`: it is declared no more. */
  saveDeclaration(params: { type: string; declaration: string | null; nowMs: number }): Promise<void>;
}

export const INSTALLATION_VERBS = {
  probe: { kind: "path", route: HOME },
  loadSetting: { kind: "path", reads: true, route: HOME },
  saveSettingUnlessThere: { kind: "path", route: HOME },
  listDeclarations: { kind: "path", reads: true, route: HOME },
  saveDeclaration: { kind: "path", route: HOME },
} satisfies VerbTable<InstallationVerbs>;

export interface KeptSetting {
  readonly value: string;
  readonly isNew: boolean;
}

export interface KeptDeclaration {
  readonly type: string;
  /** JSON text of a declaration of `events/declared`. */
  readonly declaration: string;
  readonly changedAtMs: number;
}
