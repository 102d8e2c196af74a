/** Every command of `bellwire`, with the one line that `bellwire help` prints about it. */
import { backup } from "./backup.ts";
import { bridge } from "./bridge.ts";
import type { Command, LongCommand } from "./command.ts";
import { dashboardLink } from "./dashboard-link.ts";
import { demo } from "./demo.ts";
import { doctor } from "./doctor/doctor.ts";
import { events } from "./events.ts";
import { forward } from "./forward.ts";
import { listen } from "./listen.ts";
import { migrateTo } from "./migrate-to.ts";
import { notifyTest } from "./notify-test.ts";
import { restore } from "./restore.ts";
import { send } from "./send.ts";
import { serve } from "./serve.ts";
import { sessions } from "./sessions.ts";
import { shards } from "./shards.ts";
import { FOR_PEOPLE, type LineStyle } from "../observe/line-output.ts";
import { FOR_LOG } from "../observe/log.ts";

interface OneOff {
  readonly summary: string;
  readonly run: Command;
  readonly output?: undefined;
}

interface LongRunning {
  readonly summary: string;
  readonly run: LongCommand;
  /** How its standard output is written. */
  readonly output: LineStyle;
}

export const COMMANDS: Readonly<Record<string, OneOff | LongRunning>> = {
  serve: { run: serve, output: FOR_LOG, summary: "run the service" },
  demo: {
    run: demo,
    output: FOR_PEOPLE,
    summary: "run everything together: service, a receiver that verifies, a product that sends",
  },
  bridge: {
    run: bridge,
    output: FOR_LOG,
    summary: "bring records from a broker (NATS and others) to a running service",
  },
  listen: { run: listen, summary: "run a receiver on this machine that verifies and prints each webhook" },
  forward: { run: forward, summary: "bring copies of an account's webhooks to a receiver on this machine" },
  "dashboard-link": { run: dashboardLink, summary: "make a one-time sign-in link for an account's owner" },
  sessions: { run: sessions, summary: "list who is signed in to an account's dashboard, or sign people out" },
  send: { run: send, summary: "send a sample record, or a file of records, to a running service" },
  events: { run: events, summary: "check the files that declare event types, or print them as TypeScript" },
  shards: { run: shards, summary: "list the shards that accounts are in, add one, and move accounts" },
  "migrate-to": { run: migrateTo, summary: "move an installation from SQLite to PostgreSQL" },
  doctor: { run: doctor, summary: "check whether the service can run here, and explain its settings" },
  backup: { run: backup, summary: "write a copy of the SQLite database, also while the service runs" },
  restore: { run: restore, summary: "put such a copy in the database's place" },
  "notify-test": { run: notifyTest, summary: "send a test notice to the operator's webhook" },
};

export function helpText(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return ["Usage: bellwire <command> [options]", "", ...lines, "", "bellwire <command> --help explains one."].join(
    "\n",
  );
}
