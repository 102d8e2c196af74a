/** Where a service's main thread spends its time, by subsystem, from the CPU profile that Node wrote as it ended. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    /** Those that it called. */
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[];
}

export interface Share {
  readonly subsystem: string;
  /** Of the time that the thread was not idle. */
  readonly share: number;
}

/** Of the largest profile of the folder: the other threads', where they wrote one, have less in them. */
export function readShares(folder: string): readonly Share[] {
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  const largest = texts.reduce((one, other) => (other.length > one.length ? other : one), "");
  const { nodes, samples, timeDeltas } = JSON.parse(largest) as Profile;
  const subsystems = new Map<number, string>();
  // A caller stands before those that it called. What V8 does for a function, such as `JSON.parse`, is the function's.
  for (const { id, callFrame, children = [] } of nodes) {
    const subsystem = toSubsystem(callFrame) ?? subsystems.get(id) ?? "nobody's";
    subsystems.set(id, subsystem);
    for (const child of children) subsystems.set(child, subsystem);
  }
  const micros = new Map<string, number>();
  samples.forEach((id, place) => {
    const subsystem = subsystems.get(id) ?? "";
    micros.set(subsystem, (micros.get(subsystem) ?? 0) + (timeDeltas[place] ?? 0));
  });
  micros.delete("idle");
  const all = micros.values().reduce((sum, each) => sum + each, 0);
  return [...micros]
    .map(([subsystem, each]) => ({ subsystem, share: each / all }))
    .toSorted((one, other) => other.share - one.share);
}

/** A folder of ours, a package, a part of Node, or the name of what is no JavaScript; `null` for what V8 has itself. */
function toSubsystem({ functionName, url }: Profile["nodes"][number]["callFrame"]): string | null {
  if (functionName.startsWith("(")) return NAMES[functionName] ?? functionName;
  const [, ours] = /\/src\/(store\/\w+|\w+)/.exec(url) ?? [];
  if (ours !== undefined) return `src/${ours}`;
  const [, name] = /node_modules\/((?:@[\w-]+\/)?[\w.-]+)/.exec(url) ?? [];
  if (name !== undefined) return name;
  const [, part] = /^node:(?:internal\/)?(\w+)/.exec(url) ?? [];
  return part === undefined ? null : `node:${part}`;
}

const NAMES: Readonly<Record<string, string>> = {
  "(idle)": "idle",
  "(program)": "kernel and native code",
  "(garbage collector)": "garbage collection",
};
