/** The program's reports about itself: metrics, traces, and the report that log and metrics are made from. */
import type { DeliveryReport } from "../delivery/report.ts";
import type { Lanes } from "../delivery/lanes/lanes.ts";
import { VERSION } from "../lib/version.ts";
import type { DatabaseLocation } from "../config/option-text.ts";
import { lastBackupMs } from "../store/sqlite/last-backup.ts";
import { askedOnce } from "../lib/instruments.ts";
import { registerGauges } from "../observe/gauges.ts";
import { type TellFailure, createTellFailure } from "../observe/failures.ts";
import type { Metrics } from "../observe/metrics.ts";
import { type Repeats, createRepeats } from "../lib/repeats.ts";
import { createReport } from "../observe/report.ts";
import { createStoreCounts } from "../observe/store-counts.ts";
import { type Telemetry, createTelemetry } from "../observe/telemetry.ts";
import { registerShards } from "../observe/shards.ts";
import type { AppOptions } from "./options.ts";
import type { Part } from "../lib/rounds.ts";
import type { Storage } from "./storage.ts";

export interface Observation extends Part {
  readonly metrics: Metrics;
  readonly report: DeliveryReport;
  readonly repeats: Repeats;
  readonly tellFailure: TellFailure;
  readonly traces: Telemetry["traces"];
}

export function createObservation(options: AppOptions, storage: Storage, metrics: Metrics): Observation {
  const { config, log } = options;
  const { clock, random } = storage;
  const telemetry = createTelemetry({ settings: config, clock, random, metrics, log });
  const { traces } = telemetry;
  const repeats = createRepeats(log, clock);
  const tellFailure = createTellFailure(repeats, metrics);
  return {
    metrics,
    report: createReport({ log, metrics, repeats, tellFailure, traces }),
    repeats,
    tellFailure,
    traces,
    start: () => telemetry.start(),
    async stop() {
      await telemetry.stop();
      repeats.stop();
    },
  };
}

export interface GaugesParams {
  readonly options: AppOptions;
  readonly storage: Storage;
  readonly lanes: Pick<Lanes, "load">;
}

/** Figures that are read when somebody asks for the metrics. */
export function observeGauges(metrics: Metrics, { options, storage, lanes }: GaugesParams): void {
  const { config, logLinesDropped = () => 0 } = options;
  const counts = createStoreCounts(storage.store, storage.clock);
  const waiting = askedOnce(counts.waiting);
  registerGauges(metrics, {
    lanes: () => lanes.load.counts(),
    ...counts,
    waiting,
    deliveriesMax: config.inFlightMax,
    logLinesDropped,
    isHeld: () => storage.hold.problem !== null,
    backupAge: () => backupAge(config.database, storage.clock.nowMs()),
    build: { version: VERSION, node: process.versions.node, store: config.database.kind },
  });
  if (storage.shards === null) return;
  const { list, follow } = storage.shards;
  registerShards(metrics, { list, follow, count: waiting, nowMs: () => storage.clock.nowMs() });
}

function backupAge(database: DatabaseLocation, nowMs: number): number | null {
  const madeMs = database.kind === "sqlite" ? lastBackupMs(database.path) : null;
  return madeMs === null ? null : Math.max(0, nowMs - madeMs) / 1000;
}
