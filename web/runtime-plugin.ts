/**
 * The bundler's own few lines, which every chunk imports, stand in `main` and not in a file of their own: that would be
 * one more request before anything is drawn. No option of the bundler puts them into a chunk that has other modules.
 *
 * A chunk's name covers what it imports, so it changes with main's: the build fails for one that does not import main.
 */
import type { Plugin } from "vite";

/** As the bundler writes them: `import{r as e}from"./rolldown-runtime-….js"` and `export{s as n,l as r}`. */
const IMPORT = /import\s*\{([^}]*)\}\s*from\s*"\.\/rolldown-runtime-[^"]*";?/;
const EXPORT = /export\s*\{([^}]*)\};?\s*$/;

const PREFIX = "runtime_";

export function runtimePlugin(): Plugin {
  return {
    name: "bellwire:runtime",
    apply: "build",
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const runtime = chunks.find(({ name }) => name === "rolldown-runtime");
      const main = chunks.find(({ name }) => name === "main");
      if (runtime === undefined || main === undefined) throw new Error("the build has no runtime or no main");
      const importers = chunks.filter(({ imports }) => imports.includes(runtime.fileName));
      for (const chunk of importers) {
        if (chunk !== main && !chunk.imports.includes(main.fileName)) {
          throw new Error(`${chunk.fileName} imports the bundler's runtime without main`);
        }
        const [statement, names = ""] = IMPORT.exec(chunk.code) ?? [];
        if (statement === undefined) throw new Error(`${chunk.fileName} imports the bundler's runtime in another form`);
        chunk.code = chunk.code.replace(statement, () =>
          chunk === main ? inline(runtime.code, names) : importFrom(main.fileName, names),
        );
        chunk.imports = chunk.imports.filter((file) => file !== runtime.fileName);
      }
      delete bundle[runtime.fileName];
    },
  };
}

/** Its names stay inside a function; main gives out what it exports. */
function inline(code: string, names: string): string {
  const exported = readNames(EXPORT.exec(code)?.[1] ?? "");
  const body = code.replace(EXPORT, "");
  const all = exported.map(([, outside]) => PREFIX + outside);
  const own = readNames(names).map(([outside, local]) => `${local}=${PREFIX}${outside}`);
  const values = exported.map(([inside]) => inside).join();
  return `var [${all.join()}]=(()=>{${body}return[${values}]})(),${own.join()};export{${all.join()}};`;
}

const importFrom = (file: string, names: string): string =>
  `import{${readNames(names)
    .map(([outside, local]) => `${PREFIX}${outside} as ${local}`)
    .join()}}from"./${basename(file)}";`;

const basename = (file: string): string => file.slice(file.lastIndexOf("/") + 1);

/** Of `a as b,c`. */
const readNames = (list: string): readonly (readonly [from: string, to: string])[] =>
  list.split(",").map((each) => {
    const [from = "", to = from] = each.trim().split(/\s+as\s+/);
    return [from, to];
  });
