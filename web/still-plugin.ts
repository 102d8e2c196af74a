/**
 * What a reader sees while the scripts are on their way: writes the frame into index.html, with a small style sheet of
 * its own in the head. The large one stands behind the frame, so that it holds up the application and not the frame.
 */
import { join } from "node:path";
import { type HtmlTagDescriptor, type Plugin, runnerImport } from "vite";
import type * as Still from "./shell/still.tsx";

/** Its style sheet; an entry of the build, so that it becomes a file. */
export const STILL_STYLES = join(import.meta.dirname, "still.css");

export function stillPlugin(): Plugin {
  return {
    name: "bellwire:still",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      async handler(html, { bundle = {} }) {
        const styles = Object.values(bundle).find(({ fileName }) => /(?:^|\/)still-[^/]*\.css$/.test(fileName));
        if (styles === undefined) throw new Error("the build has no still.css: was it renamed?");
        const { renderStill } = await loadStill();
        const tags: HtmlTagDescriptor[] = [
          { tag: "link", attrs: { rel: "stylesheet", href: `./${styles.fileName}` }, injectTo: "head" },
        ];
        return { html: moveStyles(html, `<div id="still">${renderStill()}</div>`), tags };
      },
    },
  };
}

async function loadStill(): Promise<typeof Still> {
  const root = import.meta.dirname;
  const options = { root, configFile: false, logLevel: "error", oxc: { jsx: { importSource: "#jsx" } } } as const;
  return (await runnerImport<typeof Still>(join(root, "shell", "still.tsx"), options)).module;
}

/** The sheet of the application goes from the head to behind the frame. */
function moveStyles(html: string, still: string): string {
  const [sheet = ""] = /<link rel="stylesheet"[^>]*>/.exec(html) ?? [];
  return html.replace(sheet, "").replace('<div id="root">', () => `${still}\n    ${sheet}\n    <div id="root">`);
}
