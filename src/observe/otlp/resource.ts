/** The attributes of this process in traces and metrics. */
import { hostname } from "node:os";
import { type Random, newUuid } from "../../lib/random.ts";
import { VERSION } from "../../lib/version.ts";
import type { Attributes } from "./span.ts";

export interface ResourceSettings {
  readonly otelResourceAttributes: Readonly<Record<string, string>>;
}

/** The operator's values win over ours. */
export function describeResource({ otelResourceAttributes }: ResourceSettings, random: Random): Attributes {
  return {
    "service.name": "bellwire",
    "service.version": VERSION,
    // Tells nodes apart, and a node from itself before its restart: sums of both begin at 0.
    "service.instance.id": newUuid(random),
    "host.name": hostname(),
    "process.pid": process.pid,
    "process.runtime.name": "nodejs",
    "process.runtime.version": process.versions.node,
    ...otelResourceAttributes,
  };
}
