/** The lines of `bellwire distribute` while it works: one for each table, and every ten seconds of a long one. */
import type { Clock } from "../lib/clock.ts";
import { secondsMs } from "../lib/duration.ts";
import type { DistributeStep, TableLeft } from "../store/postgres/citus/distribute.ts";

const LINE_EVERY_MS = secondsMs(10);

export interface DistributeLinesOptions {
  readonly clock: Clock;
  readonly isOnline: boolean;
  readonly write: (line: string) => void;
}

export interface DistributeLines {
  readonly tell: (step: DistributeStep) => void;
  /** Until it is disposed of. `workersBytes`: what all databases of the workers have together. */
  watch(workersBytes: () => Promise<number>): Disposable;
}

export function createDistributeLines({ clock, isOnline, write }: DistributeLinesOptions): DistributeLines {
  let all = 0;
  let current: { readonly table: TableLeft; readonly sinceMs: number; bytesBefore: number | null } | null = null;
  const tookS = (): string => `${((clock.monotonicMs() - (current?.sinceMs ?? 0)) / 1_000).toFixed(0)} s`;

  function tell(step: DistributeStep): void {
    switch (step.kind) {
      case "waits":
        write("Another bellwire distribute is at it, or one that was killed is still ending: this one waits for it.");
        return;
      case "begins": {
        const { ready, left, done } = step;
        all = done + left.length;
        const bytes = left.reduce((sum, table) => sum + table.bytes, 0);
        const how = isOnline ? "while nodes run" : "and writes to a table wait until it is done";
        write(`Citus ${ready.version}, workers: ${ready.workers.map(({ name }) => name).join(", ")}.`);
        write(`${left.length} of ${all} tables are to be distributed (${inWords(bytes)}), ${how}.`);
        return;
      }
      case "table":
        current = { table: step.table, sinceMs: clock.monotonicMs(), bytesBefore: null };
        write(`${step.number} of ${all}: ${step.table.name} (${inWords(step.table.bytes)}) …`);
        return;
      case "table done":
        write(`  ${step.table.name} is distributed (${tookS()}).`);
        current = null;
        return;
    }
  }

  async function look(workersBytes: () => Promise<number>): Promise<void> {
    const looked = current;
    if (looked === null || clock.monotonicMs() < looked.sinceMs + LINE_EVERY_MS / 2) return;
    const bytes = await workersBytes().catch(() => null);
    if (bytes === null || looked !== current) return;
    looked.bytesBefore ??= bytes;
    const here = Math.max(0, bytes - looked.bytesBefore);
    write(
      `  ${looked.table.name}: ${tookS()}, ${inWords(here)} of about ${inWords(looked.table.bytes)} are on the workers`,
    );
  }

  return {
    tell,
    watch(workersBytes) {
      let isOver = false;
      let cancel = clock.after(LINE_EVERY_MS, again);
      function again(): void {
        void look(workersBytes).then(() => {
          if (!isOver) cancel = clock.after(LINE_EVERY_MS, again);
        });
      }
      return {
        [Symbol.dispose]() {
          isOver = true;
          cancel();
        },
      };
    },
  };
}

function inWords(bytes: number): string {
  if (bytes < 2 ** 20) return `${Math.round(bytes / 2 ** 10)} kB`;
  return bytes < 2 ** 30 ? `${Math.round(bytes / 2 ** 20)} MB` : `${(bytes / 2 ** 30).toFixed(1)} GB`;
}
