/**
 * The linter's rules. TypeScript and not JSON, because the layers are one table here and a hundred lines there.
 *
 * Two rules carry the design: imports point one way, and time, chance, environment and network are passed in.
 * `test/lint.test.ts` shows each rule catching its fault, so that none goes quiet unnoticed.
 */
import { type OxlintOverride, defineConfig } from "oxlint";

type Rules = NonNullable<OxlintOverride["rules"]>;
type RestrictedPath = { name: string; importNames?: string[]; message: string };

/**
 * The folders of `src`, lowest first, and what each may import besides itself. An entry that ends in `.ts` opens that
 * file only: `delivery` and those above it know the store's contract, never a driver.
 */
const BELOW_DELIVERY = ["lib", "domain", "events", "egress", "accounts", "store/store.ts"];
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  domain: ["lib"],
  events: ["lib", "domain"],
  egress: ["lib", "domain"],
  store: ["lib", "domain", "events"],
  accounts: ["lib", "domain", "events", "egress", "store/store.ts"],
  delivery: BELOW_DELIVERY,
  // It measures what the path reports, so it sees the report and not the path.
  observe: ["lib", "domain", "delivery/report.ts"],
  config: ["lib", "domain", "events/nearest-name.ts", "egress"],
  // Written to be copied by receivers, so it stands on the signature rules alone.
  receiver: ["domain"],
  http: ["lib", "domain", "store/store.ts"],
  intake: [...BELOW_DELIVERY, "delivery", "http"],
  dashboard: [...BELOW_DELIVERY, "delivery", "http"],
};

/** Above the layers, and closed to all of them. Commands and the demo may import everything. */
const ROOTS = ["app.ts", "main.ts", "commands", "demo"];
const APP_ARROW = {
  group: ["./main.ts", "./commands/**", "./demo/**"],
  message: "Commands import app.ts, not it them.",
};

const TESTS = ["**/*.test.ts", "src/store/conformance*.ts", "test/**", "e2e/**", "sim/**", "bench/**", "chaos/**"];
const NOT_THE_SERVICE = [...TESTS, "src/commands/**", "src/demo/**", "tools/**", "bin/**"];
/** The only places where the outside world comes in. */
const BORDERS = ["src/lib/**", "src/config/env.ts", "src/delivery/send.ts", "src/main.ts"];

const PASS_IN_TIME = "Take a Clock (src/lib/clock.ts): a test must be able to run days in milliseconds.";
const PASS_IN_CHANCE = "Take a Random (src/lib/random.ts): a seed must repeat a run.";
const READ_CONFIG = "Settings are read in src/config/env.ts only; take what you need from Config.";
const SEND_ONLY = "src/delivery/send.ts is the only outbound socket of the program.";
const ON_SQLITE = "SQL belongs behind the store's verbs, in src/store/sqlite.";

const CHANCE_NAMES = ["randomBytes", "randomUUID", "randomInt", "randomFill", "randomFillSync", "getRandomValues"];
const TIMER_NAMES = ["setTimeout", "setInterval"];

const SQLITE_IMPORT: RestrictedPath = { name: "node:sqlite", message: ON_SQLITE };

/** What may not come in by import. A later override replaces an earlier one, so each of them lists it again. */
const AMBIENT_IMPORTS: RestrictedPath[] = [
  { name: "node:crypto", importNames: [...CHANCE_NAMES, "webcrypto"], message: PASS_IN_CHANCE },
  { name: "node:timers", importNames: TIMER_NAMES, message: PASS_IN_TIME },
  { name: "node:timers/promises", message: PASS_IN_TIME },
  { name: "node:process", importNames: ["env"], message: READ_CONFIG },
  SQLITE_IMPORT,
  { name: "undici", importNames: ["fetch", "request", "stream", "pipeline"], message: SEND_ONLY },
];

const AMBIENT_PROPERTIES = [
  { object: "Date", property: "now", message: PASS_IN_TIME },
  { object: "performance", property: "now", message: PASS_IN_TIME },
  { object: "process", property: "hrtime", message: PASS_IN_TIME },
  { object: "Math", property: "random", message: PASS_IN_CHANCE },
  ...CHANCE_NAMES.map((property) => ({ object: "crypto", property, message: PASS_IN_CHANCE })),
  { object: "process", property: "env", message: READ_CONFIG },
];

const AMBIENT_GLOBALS = [
  ...TIMER_NAMES.map((name) => ({ name, message: PASS_IN_TIME })),
  ...["fetch", "WebSocket", "EventSource"].map((name) => ({ name, message: SEND_ONLY })),
];

export default defineConfig({
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: "error" },
  ignorePatterns: ["**/golden/**", "examples/**", "data/**"],
  plugins: ["typescript", "unicorn", "oxc", "import", "node"],
  categories: { correctness: "error", suspicious: "error" },
  rules: {
    "no-restricted-globals": ["error", { globals: AMBIENT_GLOBALS, checkGlobalObject: true }],
    "no-restricted-imports": ["error", { paths: AMBIENT_IMPORTS }],
    "no-restricted-properties": ["error", ...AMBIENT_PROPERTIES],

    // node:test waits for what `test` returns; nobody else has to.
    "typescript/no-floating-promises": [
      "error",
      {
        allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: ["test", "describe", "it", "suite"] }],
      },
    ],
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
    eqeqeq: "error",
    "no-var": "error",
    "prefer-const": "error",
    "no-console": "error",
    "unicorn/prefer-node-protocol": "error",

    // The compiler's noImplicitReturns knows that an exhaustive switch returns; this rule does not.
    "typescript/consistent-return": "off",
    // Rows of a database and parsed JSON get their type from a schema or a conformance test, by an assertion.
    "typescript/no-unsafe-type-assertion": "off",
    // Writing `Result<Plan, Problem>` out is clearer than knowing the default.
    "typescript/no-unnecessary-type-arguments": "off",
    // Our interfaces are made of closures: there is no `this` to lose.
    "typescript/unbound-method": "off",
    // A small function may stand beside its one use.
    "unicorn/consistent-function-scoping": "off",
    // A reader of rows names its row's type in the call.
    "typescript/no-unnecessary-type-parameters": "off",
    // A metric of prom-client registers itself.
    "no-new": "off",
    // Threads have no origin; the rule means windows.
    "unicorn/require-post-message-target-origin": "off",
    // A flag that a closure sets looks unmodified to it.
    "no-unmodified-loop-condition": "off",
    // `fc` and `Type` are how the documentation of fast-check and TypeBox reads.
    "import/no-named-as-default": "off",
    "import/no-named-as-default-member": "off",

    "max-lines": ["error", { max: 400 }],
    "max-lines-per-function": ["error", { max: 70 }],
    "max-params": ["error", { max: 3 }],

    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "oxc/no-barrel-file": ["error", { threshold: 0 }],
  },
  overrides: [
    ...Object.keys(LAYERS).map((layer) => ({
      files: [`src/${layer}/**`],
      rules: importRules(AMBIENT_IMPORTS, arrowsOf(layer)),
    })),
    {
      files: ["src/store/sqlite/**"],
      rules: importRules(
        AMBIENT_IMPORTS.filter((path) => path !== SQLITE_IMPORT),
        arrowsOf("store"),
      ),
    },
    { files: ["src/app.ts"], rules: importRules(AMBIENT_IMPORTS, [APP_ARROW]) },
    {
      files: BORDERS,
      rules: { "no-restricted-globals": "off", "no-restricted-properties": "off" },
    },
    { files: ["src/lib/**"], rules: importRules([], arrowsOf("lib")) },
    { files: ["src/config/env.ts"], rules: importRules([], arrowsOf("config")) },
    { files: ["src/delivery/send.ts"], rules: importRules([], arrowsOf("delivery")) },
    { files: ["src/main.ts"], rules: { "no-restricted-imports": "off", "no-console": "off" } },
    {
      files: NOT_THE_SERVICE,
      rules: {
        "no-restricted-globals": "off",
        "no-restricted-imports": "off",
        "no-restricted-properties": "off",
        "no-console": "off",
      },
    },
    {
      // A suite is one function around its tests; its length says nothing.
      files: TESTS,
      rules: { "max-lines": ["error", { max: 600 }], "max-lines-per-function": "off" },
    },
    { files: ["oxlint.config.ts"], rules: { "import/no-default-export": "off" } },
  ],
});

/** What `layer` may not import: every other layer but the open ones, and the roots. */
function arrowsOf(layer: string) {
  const open = LAYERS[layer] ?? [];
  const closed = [...Object.keys(LAYERS), ...ROOTS].filter((name) => name !== layer && !open.includes(name));
  return [forbid(closed, layer, open)];
}

/** Patterns as in .gitignore: the last one that matches decides, so the open files come behind the closed folders. */
function forbid(closed: readonly string[], importer: string, open: readonly string[] = []) {
  const shut = closed.map((name) => (name.endsWith(".ts") ? `**/../${name}` : `**/../${name}/**`));
  const opened = open.filter((name) => name.endsWith(".ts")).map((name) => `!**/../${name}`);
  const may = open.length === 0 ? "nothing" : open.join(", ");
  return { group: [...shut, ...opened], message: `src/${importer} may import ${may}; see LAYERS in oxlint.config.ts.` };
}

function importRules(paths: RestrictedPath[], patterns: ReturnType<typeof arrowsOf>): Rules {
  return { "no-restricted-imports": ["error", { paths, patterns }] };
}
