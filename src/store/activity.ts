/**
 * Whether something has happened to an account, asked again and again for pages that are open on it: with several nodes
 * on one database most of it happens elsewhere. Marks, not news: one that differs from the last one says look again.
 */

export interface LoadActivity {
  readonly accountId: string;
  /** Attempts and events are looked at from here on. Guess: some minutes ago, more than an attempt takes. */
  readonly sinceMs: number;
}

export interface Activity {
  /** Of attempts and events since then. An earlier `sinceMs` may give another mark, with nothing new. */
  readonly deliveries: string;
  /** Of what the account has set up, and of what the audit lists. */
  readonly configuration: string;
  /** Of each destination's state and health, by its id; deleted ones too. */
  readonly destinations: Readonly<Record<string, string>>;
  /** Of how far each of the newest replays is, by its id. */
  readonly replays: Readonly<Record<string, string>>;
}
