/** The demo's words around its deliveries: the addresses at the start, and the result at the end. Pure. */
import { DEMO_TYPES } from "./records.ts";
import type { Stage } from "./stage.ts";
import { type TallyCounts, percentile } from "./tally.ts";
import type { WorkFolder } from "./work-folder.ts";

const IDS_SHOWN_MAX = 5;

export function heading(
  stage: Omit<Stage, "app" | "client" | typeof Symbol.asyncDispose>,
  folder: WorkFolder,
): string[] {
  return [
    "Bellwire demo: the service, a receiver that verifies, and a stand-in product that sends. Ctrl-C ends it.",
    "",
    `  Dashboard       ${stage.publicUrl}`,
    `  Sign-in link    ${stage.signInLink}  (works once, for 5 minutes)`,
    `  Receiver        ${stage.receiver.url}`,
    `  Down on purpose ${stage.down.url}  (known leads go there too: see in the dashboard why that fails)`,
    `  Intake key      ${stage.intakeKey}`,
    `  Secret          ${stage.secret}`,
    `  Received        ${folder.received}/<webhook-id>.json, with its .headers`,
    `  Service's log   ${folder.logFile}`,
    ...(folder.isKept ? [] : ["                  (these files go when the demo ends; --keep keeps them)"]),
    "",
  ];
}

/** The service's own counts, including records that another program sent to it while the demo ran. */
export interface ServiceCounts {
  readonly accepted: number;
  readonly delivered: number;
}

/** A record that the product's books miss was sent by another program, or its answer was lost. */
export const acceptedInAll = (tally: TallyCounts, service: ServiceCounts): number =>
  Math.max(tally.accepted, service.accepted);

/**
 * Successful deliveries, each counted once. When a person presses Send again in the dashboard, the service counts one
 * more successful attempt, and the receiver a repeat.
 */
export const deliveredOnce = (tally: TallyCounts, { delivered }: ServiceCounts): number =>
  Math.max(Math.min(delivered, tally.verified), delivered - tally.repeats);

/** Every reason why the demo did not succeed, in words; empty when it did. */
export function shortfalls(tally: TallyCounts, service: ServiceCounts): string[] {
  const accepted = acceptedInAll(tally, service);
  const delivered = deliveredOnce(tally, service);
  const faults = DEMO_TYPES.filter((type) => tally.byEvent[type] === undefined).map((type) => `no ${type} has arrived`);
  if (accepted > delivered) faults.push(`${accepted - delivered} accepted records are not delivered`);
  if (accepted < delivered) faults.push(`${delivered - accepted} deliveries are more than was accepted`);
  if (tally.verified !== delivered) faults.push(`${delivered} deliveries, but ${tally.verified} arrived and verified`);
  if (tally.missing.length > 0) faults.push(`accepted but not arrived: ${listed(tally.missing)}`);
  if (tally.acceptedTwice > 0) faults.push(`${tally.acceptedTwice} records were accepted a second time`);
  if (tally.refused > 0) faults.push(`${tally.refused} records were refused by intake`);
  return faults;
}

export function summary(tally: TallyCounts, service: ServiceCounts): string[] {
  const accepted = acceptedInAll(tally, service);
  const faults = shortfalls(tally, service);
  const [p50, p95] = [percentile(tally.latenciesMs, 0.5), percentile(tally.latenciesMs, 0.95)];
  return [
    "",
    equation(accepted, deliveredOnce(tally, service), tally.verified),
    `  ${listArrived(tally)}`,
    `  duplicates ignored ${tally.duplicates}, arrived again ${tally.repeats}, not verified ${tally.unverified}`,
    `  from handing a record in to its webhook's arrival: p50 ${shown(p50)}, p95 ${shown(p95)}`,
    ...faults.map((fault) => `  ✗ ${fault}`),
  ];
}

/** The built-in types first, also where none has arrived. */
function listArrived({ byEvent }: TallyCounts): string {
  const types = new Set<string>([...DEMO_TYPES, ...Object.keys(byEvent)]);
  return [...types].map((type) => `${type} ${byEvent[type] ?? 0}`).join(", ");
}

/** Prints an equals sign only where it is true. */
function equation(accepted: number, delivered: number, verified: number): string {
  const [first, second] = [accepted === delivered, delivered === verified].map((isEqual) => (isEqual ? "=" : "≠"));
  return `accepted ${accepted} ${first} delivered ${delivered} ${second} verified ${verified}`;
}

function listed(ids: readonly string[]): string {
  const more = ids.length > IDS_SHOWN_MAX ? ` and ${ids.length - IDS_SHOWN_MAX} more` : "";
  return ids.slice(0, IDS_SHOWN_MAX).join(", ") + more;
}

const shown = (ms: number | null): string => (ms === null ? "–" : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`);
