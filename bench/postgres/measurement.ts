/** A measurement of PostgreSQL, and the parts that all of them need. */
import type { Cluster } from "../../test/kit/servers/postgres.ts";

export interface Measurement {
  /** One word, for `--only`. */
  readonly name: string;
  /** How long it will take, about. */
  readonly minutes: (sizes: Sizes) => number;
  /** Prints its conditions and its table; answers whether its gate was kept. */
  readonly run: (bench: Bench) => Promise<boolean>;
}

export interface Sizes {
  readonly deliveries: number;
  readonly destinations: number;
  /** Waiting for the one destination that is not to delay the others. */
  readonly backlog: number;
  readonly snapshotMinutes: number;
  /** The length of each window. */
  readonly seconds: number;
}

export interface Bench {
  readonly cluster: Cluster;
  /** An empty folder of its own for each measurement, removed at the end. */
  readonly folder: string;
  readonly sizes: Sizes;
  readonly isExplained: boolean;
}

export const row = (...cells: readonly (string | number)[]): void => console.log(`| ${cells.join(" | ")} |`);

export function head(...cells: readonly string[]): void {
  row(...cells);
  console.log(`|${"---|".repeat(cells.length)}`);
}

/** Numbers for people: `10,000`. */
export const count = (value: number): string => value.toLocaleString("en");
