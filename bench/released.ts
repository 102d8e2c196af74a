/** The released program, as the image runs it: bundled, with its heap and compiled code in a cache. */
import { join } from "node:path";
import { HEAP_OPTIONS, layOutProgram } from "../tools/release/program.ts";

export interface Program {
  readonly name: string;
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Lays it out in that folder. The first start fills the cache. */
export async function layOutReleased(folder: string): Promise<Program> {
  // Builds the page where it is not built.
  await import("../tools/web.ts");
  const program = join(folder, "bellwire");
  await layOutProgram(program, 0);
  return {
    name: "released",
    program: [...HEAP_OPTIONS.split(" "), join(program, "bin", "bellwire.js"), "serve"],
    env: { NODE_COMPILE_CACHE: join(folder, "cache") },
  };
}
