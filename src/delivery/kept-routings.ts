/**
 * Routings that were decided before. Where an account has no conditions on fields, a routing depends on four facts of a
 * session, and its sessions have few combinations of them: an event takes the routing of the last one like it, and with
 * it the text of its reasons. A view never changes, and its routings go with it.
 */
import type { AccountView } from "../accounts/account-view.ts";
import type { SessionFacts } from "../domain/alert.ts";

/** Guess: at one to five kilobytes each. Beyond it all are dropped, and decided anew when they are needed. */
const ROUTINGS_MAX = 1_000;

/** By demo, by intent level, and by what is known of the visitor. */
type ByFacts<Routing> = Map<string, Map<string, Routing[]>>;

export class KeptRoutings<Routing> {
  /** `null`: some alert has conditions on fields, and each event is decided by itself. */
  #byView = new WeakMap<AccountView, ByFacts<Routing> | null>();
  #count = 0;

  find(view: AccountView, session: SessionFacts): Routing | null {
    return this.#of(view)?.get(session.demoName)?.get(session.intentLevel)?.[visitorOf(session)] ?? null;
  }

  /** Keeps what was decided for this session, if it holds for all sessions with the same facts. */
  keep(view: AccountView, session: SessionFacts, routing: Routing): void {
    if (this.#count === ROUTINGS_MAX) {
      this.#byView = new WeakMap();
      this.#count = 0;
    }
    const ofDemo = this.#of(view)?.getOrInsertComputed(session.demoName, () => new Map());
    if (ofDemo === undefined) return;
    ofDemo.getOrInsertComputed(session.intentLevel, () => [])[visitorOf(session)] = routing;
    this.#count += 1;
  }

  #of(view: AccountView): ByFacts<Routing> | null {
    const known = this.#byView.get(view);
    if (known !== undefined) return known;
    const kept: ByFacts<Routing> | null = view.alerts.some(({ alert }) => alert.conditions !== null) ? null : new Map();
    this.#byView.set(view, kept);
    return kept;
  }
}

const visitorOf = ({ hasLead, hasCompany }: SessionFacts): number => (hasLead ? 1 : 0) + (hasCompany ? 2 : 0);
