/**
 * How the page is built: `vite build -c web/vite.config.ts`, called by tools/web.ts.
 *
 * Addresses inside the build are relative, because the service may be served under any path; it puts the right
 * `<base href>` into index.html when it answers. No inline script or style may come out of here: the page runs under
 * `script-src 'self'; style-src 'self'`, which is why the preload polyfill is off and nothing small is inlined.
 */
import { join } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { compressPlugin } from "./compress-plugin.ts";
import { highlightPlugin } from "./highlight-plugin.ts";
import { runtimePlugin } from "./runtime-plugin.ts";
import { scriptsPlugin } from "./scripts-plugin.ts";
import { STILL_STYLES, stillPlugin } from "./still-plugin.ts";

/**
 * Few files, because each costs a round trip. A group brings along what its modules import, and the first that wants a
 * module has it: the frame, what the first list needs besides, health in words, the page where readers land, other
 * lists, what the frame asks for behind them, records, forms, a webhook's own page, and the rest that several pages
 * share.
 */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  main: ["main", "ui/loaded", "ui/page", "parts/editor/kept-typed"],
  list: ["pages/deliveries"],
  health: [
    "parts/health/health-label",
    "parts/health/send-waiting",
    "parts/health/troubles",
    "parts/overview/destination-list",
    "parts/overview/use-refetch-every",
    "parts/owner/by-need",
  ],
  overview: ["pages/overview"],
  lists: [
    "pages/alerts",
    "pages/assistants",
    "pages/sessions",
    "pages/webhooks",
    "pages/all-events",
    // Small parts that account, records and forms share: in the group of one, the others would load all of it.
    "parts/account/activity",
    "parts/body/body-kinds",
    "parts/body/wanted-events",
    "parts/catalog/type-chooser",
    "parts/delivery/log-time",
    "parts/delivery/sent-text",
    "parts/facts",
    "parts/owner/owner-page",
    "parts/group-head",
    "parts/group-types",
    "parts/paste-hint",
    "ui/controls",
    "ui/fold",
    "ui/plan-gate",
    "ui/tabs",
  ],
  behind: [
    "parts/chosen/chosen-bar",
    "parts/deliveries/selection-bar",
    "shell/account-banners",
    "shell/palette-source",
    "shell/troubles",
    "ui/toast-host",
  ],
  record: [
    "pages/session-detail",
    "pages/conversation-detail",
    "pages/replay-detail",
    "pages/event-detail",
    "parts/delivery/delivery-panel",
    "parts/delivery/delivery-view",
  ],
  form: ["pages/alert-form", "pages/assistant-detail", "pages/webhook-form"],
  own: ["pages/alert", "pages/webhook"],
  // How one does comes behind its page's head.
  webhook: ["parts/webhook-page/webhook-view"],
};

const toGroup = ([name, modules]: [string, readonly string[]], place: number) => ({
  name,
  test: (id: string) => modules.some((module) => [".ts", ".tsx"].some((end) => id.endsWith(`/web/${module}${end}`))),
  priority: 100 - place,
});

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [
    react({ jsxImportSource: "#jsx" }),
    tailwindcss(),
    highlightPlugin(),
    runtimePlugin(),
    stillPlugin(),
    scriptsPlugin(),
    compressPlugin(),
  ],
  // wouter brings along what React 19 has itself: a kilobyte of the first load.
  resolve: { alias: [{ find: /^use-sync-external-store\/shim.*/, replacement: "react" }] },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // The first browsers with light-dark(), on which both colour schemes stand (spring 2024).
    target: ["chrome123", "firefox120", "safari17.5"],
    // Neither the polyfill, which is an inline script, nor the loader of hints: it is 1.7 KB of the first load, and
    // what it saves is one short round trip on the first visit of a page.
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      input: [join(import.meta.dirname, "index.html"), STILL_STYLES],
      output: {
        codeSplitting: { groups: [...Object.entries(GROUPS).map(toGroup), { name: "shared", minShareCount: 2 }] },
      },
      // Whether a module of a group is asked for late depends on who asks first.
      checks: { ineffectiveDynamicImport: false },
    },
  },
});
