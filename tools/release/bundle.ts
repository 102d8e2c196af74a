/**
 * The released program: our sources and the run-time packages as a few files of JavaScript with source maps, made by
 * the page's bundler. A process that reads 40 files starts in half the time of one that reads 900 and takes types out
 * of them. This repository itself runs its sources.
 */
import { copyFileSync, globSync, mkdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build, type Plugin } from "vite";

const ROOT = join(import.meta.dirname, "..", "..");
const SOURCES = join(ROOT, "src");
/** Loaded by an address and not by an import. */
const THREADS = {
  "writer-thread": "store/sqlite/writer/writer-thread.ts",
  "reader-thread": "store/sqlite/reader/reader-thread.ts",
};
/** Clients of brokers, which whoever runs a bridge installs (bridge/README.md), and what `pg` tries and misses. */
const LEFT_OUTSIDE = [/^@aws-sdk\//, /^@nats-io\//, /^@platformatic\/kafka$/, /^amqplib$/, /^pg-native$/];
/** What the program reads besides code: each stays at its place below the folder of sources. */
const READ_FILES = ["**/*.sql", "**/*.html", "**/checkpoint-thread.js"];

/** Writes `main.js`, its parts and the files that it reads into `folder`. The same sources give the same bytes. */
export async function bundleProgram(folder: string): Promise<void> {
  await build({
    configFile: false,
    root: ROOT,
    logLevel: "warn",
    publicDir: false,
    plugins: [placesPlugin(), narrowPlugin()],
    // Packages have their place in the checkout's own folder in all that is written, also where that is a link.
    resolve: { preserveSymlinks: true },
    ssr: { noExternal: true, target: "node" },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: true,
      target: "node24",
      sourcemap: true,
      minify: false,
      rolldownOptions: {
        input: { main: join(SOURCES, "main.ts"), ...threadFiles() },
        external: LEFT_OUTSIDE,
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          sourcemapPathTransform: fromRoot,
          comments: false,
        },
      },
    },
  });
  for (const path of READ_FILES.flatMap((pattern) => globSync(pattern, { cwd: SOURCES }))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(SOURCES, path), join(folder, path));
  }
}

const THREAD_ADDRESS = new RegExp(
  `new URL\\("\\./(${Object.keys(THREADS).join("|")})\\.ts", import\\.meta\\.url\\)`,
  "g",
);

/** Wherever the checkout and `folder` are, a map names the same sources. */
const fromRoot = (source: string, map: string): string =>
  relative(ROOT, resolve(dirname(map), source)).replaceAll("\\", "/");

const threadFiles = (): Record<string, string> =>
  Object.fromEntries(Object.entries(THREADS).map(([name, path]) => [name, join(SOURCES, path)]));

/** A module of ours finds its files where its source was, although all code lies in one folder now. */
function placesPlugin(): Plugin {
  return {
    name: "bellwire-places",
    transform(code, id) {
      if (!id.startsWith(SOURCES) || !code.includes("import.meta.")) return null;
      const place = relative(SOURCES, id).replaceAll("\\", "/");
      const moved = code
        .replaceAll(THREAD_ADDRESS, 'new URL("./$1.js", IMPORT_META.url)')
        .replaceAll("import.meta.dirname", `(import.meta.dirname + "/${dirname(place)}")`)
        .replaceAll("import.meta.url", `new URL("./${place}", import.meta.url).href`)
        .replaceAll("IMPORT_META", "import.meta");
      // Lines stay as they are, so that the map of the types' removal is right without another.
      return { code: moved, map: null };
    },
  };
}

/**
 * V8 keeps a file's text for as long as it is loaded, and all of it in two bytes a character where one character is
 * beyond Latin-1: 3 MB in a node at rest. Lines stay as they are.
 */
function narrowPlugin(): Plugin {
  return {
    name: "bellwire-narrow",
    generateBundle(_options, files) {
      for (const file of Object.values(files)) if (file.type === "chunk") file.code = narrow(file.code);
    },
  };
}

/** The same for strings, templates, patterns and names, unless a backslash stands before it. */
function narrow(code: string): string {
  const [escaped] = /(?<!\\)(?:\\\\)*\\[^\0-\xff].*/.exec(code) ?? [];
  if (escaped !== undefined) throw new Error(`a character beyond Latin-1 must not be escaped: ${escaped}`);
  return code.replaceAll(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
