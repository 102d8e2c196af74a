/** The programs of a few lines, each a process that is started once and measured again and again. */
import { type Part, startPart } from "../part.ts";
import { type PathLoad, sendTo } from "../path/loads.ts";
import { type Measured, type Rig, type Span, cpuOfThreads, measure } from "../rig.ts";
import type { FromForwarder, ToForwarder } from "./forwarder.ts";
import type { FromLeast, ToLeast } from "./least.ts";

export interface Program {
  readonly name: string;
  measure(load: PathLoad, span: Span): Promise<Measured>;
}

/** It stores nothing. */
export async function startForwarder(
  rig: Rig,
  { name, signs }: { name: string; signs: boolean },
): Promise<Program & Disposable> {
  const part = startPart<ToForwarder, FromForwarder>("floor/forwarder.ts");
  const { port } = await part.ask({ port: rig.port, signs });
  return toProgram(rig, { name, part, port });
}

/** Its database is a new file. */
export async function startLeast(rig: Rig, path: string): Promise<Program & Disposable> {
  const part = startPart<ToLeast, FromLeast>("floor/least.ts");
  const { port } = await part.ask({ port: rig.port, path });
  return toProgram(rig, { name: "the least that is safe", part, port });
}

interface Started {
  readonly name: string;
  readonly part: Part<never, unknown>;
  readonly port: number;
}

function toProgram(rig: Rig, { name, part, port }: Started): Program & Disposable {
  const cpu = () => cpuOfThreads("node", part.pid);
  const place = { url: `http://127.0.0.1:${port}`, apiKey: "none" };
  return {
    name,
    measure: (load, span) => measure(rig, { name: load.name, send: sendTo(rig, place, load), cpu, services: [] }, span),
    [Symbol.dispose]: () => part[Symbol.dispose](),
  };
}
