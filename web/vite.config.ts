/**
 * How the page is built: `vite build -c web/vite.config.ts`, called by tools/web.ts.
 *
 * Addresses inside the build are relative, because the service may be served under any path; it puts the right
 * `<base href>` into index.html when it answers. No inline script or style may come out of here: the page runs under
 * `script-src 'self'; style-src 'self'`, which is why the preload polyfill is off and nothing small is inlined.
 */
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { highlightPlugin } from "./highlight-plugin.ts";

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [react({ jsxImportSource: "#jsx" }), tailwindcss(), highlightPlugin()],
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
    // Read by the check of the budgets (tools/web-budgets.ts): which chunk imports which.
    manifest: true,
    reportCompressedSize: false,
  },
});
