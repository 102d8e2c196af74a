/**
 * Builds `forward.mjs`: `bellwire forward` with all that it imports in one file, which the service serves beside the
 * page. It is not made small, so that whoever runs it can read it.
 */
import { join, relative } from "node:path";
import type * as Vite from "vite";

const ROOT = join(import.meta.dirname, "..");

/** What the file is made of, for the stamp of the build. */
export const FORWARD_SOURCES: readonly string[] = [
  ...["arguments", "forward", "forward-alone", "forward-copies", "post-here"].map((name) => `src/commands/${name}.ts`),
  ...["read-file", "service-access", "service-client"].map((name) => `src/commands/${name}.ts`),
  ...["clock", "duration", "fault-words", "file-fault", "http-call", "node-http", "pasted"].map(
    (name) => `src/lib/${name}.ts`,
  ),
  ...["nearest-name", "result", "settings/option-text"].map((name) => `src/lib/${name}.ts`),
  ...["event", "problem"].map((name) => `src/domain/${name}.ts`),
  "src/receiver/terminal-text.ts",
];

/** Writes it into `folder`. Throws when it is made of a file that the stamp does not know. */
export async function buildForwardFile(vite: typeof Vite, folder: string, customLogger: Vite.Logger): Promise<void> {
  const built = await vite.build({
    configFile: false,
    root: ROOT,
    publicDir: false,
    logLevel: "warn",
    customLogger,
    build: {
      ssr: join(ROOT, "src", "commands", "forward-alone.ts"),
      outDir: folder,
      emptyOutDir: false,
      target: "node20",
      minify: false,
      rolldownOptions: { treeshake: { moduleSideEffects: false }, output: { entryFileNames: "forward.mjs" } },
    },
    ssr: { noExternal: true },
  });
  const { output } = built as Vite.Rolldown.RolldownOutput;
  const foreign = output
    .flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))
    .map((id) => relative(ROOT, id).replaceAll("\\", "/"))
    .filter((path) => path.startsWith("src/") && !FORWARD_SOURCES.includes(path));
  if (foreign.length > 0) throw new Error(`forward.mjs is made of ${foreign.join(", ")}: add it to FORWARD_SOURCES`);
  if (output.length !== 1) throw new Error(`forward.mjs became ${output.length} files`);
}
