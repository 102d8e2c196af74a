/**
 * Every command of `bellwire`, with the one line that `bellwire help` prints about it. Each is loaded when it is
 * called: a node has neither the demo nor the brokers of the bridge in its memory.
 */
import type { Command, LongCommand } from "./command.ts";
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
  serve: {
    run: async (io) => await (await import("./serve.ts")).serve(io),
    output: FOR_LOG,
    summary: "run the service",
  },
  demo: {
    run: async (io) => await (await import("./demo.ts")).demo(io),
    output: FOR_PEOPLE,
    summary: "run everything together: service, a receiver that verifies, a product that sends",
  },
  bridge: {
    run: async (io) => await (await import("../../bridge/command.ts")).bridge(io),
    output: FOR_LOG,
    summary: "bring records from a broker (NATS and others) to a running service",
  },
  listen: {
    run: async (io) => await (await import("./listen.ts")).listen(io),
    summary: "run a receiver on this machine that verifies and prints each webhook",
  },
  pull: {
    run: async (io) => await (await import("./pull.ts")).pull(io),
    summary: "ask for what waits for a webhook and post it to an address, such as one on this machine",
  },
  "dashboard-link": {
    run: async (io) => await (await import("./dashboard-link.ts")).dashboardLink(io),
    summary: "make a one-time sign-in link for an account's owner",
  },
  sessions: {
    run: async (io) => await (await import("./sessions.ts")).sessions(io),
    summary: "list who is signed in to an account's dashboard, or sign people out",
  },
  accounts: {
    run: async (io) => await (await import("./accounts.ts")).accounts(io),
    summary: "list the accounts with what waits; show, suspend, resume or delete one",
  },
  "read-keys": {
    run: async (io) => await (await import("./read-keys.ts")).readKeys(io),
    summary: "make, list or take back the keys by which programs read and manage",
  },
  apply: {
    run: async (io) => await (await import("./apply.ts")).apply(io),
    summary: "make and change an account's webhooks as a file has them",
  },
  erase: {
    run: async (io) => await (await import("./erase.ts")).erase(io),
    summary: "erase a person from an account's events, by their e-mail address",
  },
  send: {
    run: async (io) => await (await import("./send.ts")).send(io),
    summary: "send a sample record, or a file of records, to a running service",
  },
  events: {
    run: async (io) => await (await import("./events.ts")).events(io),
    summary: "check the files that declare event types, or print them as TypeScript",
  },
  shards: {
    run: async (io) => await (await import("./shards.ts")).shards(io),
    summary: "list the shards that accounts are in, add one, and move accounts",
  },
  "migrate-to": {
    run: async (io) => await (await import("./migrate-to.ts")).migrateTo(io),
    summary: "move an installation from SQLite to PostgreSQL",
  },
  doctor: {
    run: async (io) => await (await import("./doctor/doctor.ts")).doctor(io),
    summary: "check whether the service can run here, and explain its settings",
  },
  backup: {
    run: async (io) => await (await import("./backup.ts")).backup(io),
    summary: "write a copy of the SQLite database, also while the service runs",
  },
  restore: {
    run: async (io) => await (await import("./restore.ts")).restore(io),
    summary: "put such a copy in the database's place",
  },
  adopt: {
    run: async (io) => await (await import("./adopt.ts")).adopt(io),
    summary: "let a copy that is held go on as the service",
  },
  "notify-test": {
    run: async (io) => await (await import("./notify-test.ts")).notifyTest(io),
    summary: "send a test notice to the operator's webhook",
  },
};

export function helpText(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return ["Usage: bellwire <command> [options]", "", ...lines, "", "bellwire <command> --help explains one."].join(
    "\n",
  );
}
