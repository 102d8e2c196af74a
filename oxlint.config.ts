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
 * The folders of `src`, lowest first, and what each may import besides itself. An entry with a slash opens that file or
 * folder only: `delivery` and those above it know the store's contract, never a driver.
 */
const BELOW_DELIVERY = ["lib", "domain", "events", "bodies", "egress", "accounts", "store/contract"];
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  domain: ["lib"],
  events: ["lib", "domain"],
  bodies: ["lib", "domain", "events"],
  egress: ["lib", "domain"],
  store: ["lib", "domain", "events"],
  accounts: ["lib", "domain", "events", "bodies", "egress", "store/contract"],
  delivery: BELOW_DELIVERY,
  // It measures what the path reports, so it sees the reports and not the path.
  observe: ["lib", "domain", "store/contract", "delivery/report.ts", "intake/report.ts"],
  config: ["lib", "domain", "egress"],
  // Published for receivers, so it stands on next to nothing.
  receiver: ["lib", "domain"],
  // Published for the product's back end: it knows the service by its HTTP interface alone.
  client: ["lib/pasted.ts", "domain/event.ts"],
  // Messages to owners and webhooks to the operator: news that the store keeps, signed, sent and judged as the path
  // does it.
  notify: [
    "lib",
    "domain",
    "bodies",
    "store/contract",
    "egress",
    "delivery/send/request.ts",
    "delivery/send/send.ts",
    "delivery/send/judge.ts",
    "delivery/mask-echo.ts",
  ],
  http: ["lib", "domain", "store/contract"],
  // The contract as documents: JSON Schema and AsyncAPI.
  schemas: ["lib", "domain", "events"],
  pull: [...BELOW_DELIVERY, "delivery", "http", "intake/operation.ts"],
  intake: [...BELOW_DELIVERY, "delivery", "http", "schemas"],
  dashboard: [...BELOW_DELIVERY, "delivery", "http"],
  // What a program reads is what the page shows, by the same verbs and in the same words.
  programs: [
    ...BELOW_DELIVERY,
    "http",
    ...["authenticate.ts", "context.ts", "operation.ts", "read-call.ts"].map((file) => `intake/${file}`),
    ...["call", "contract", "deliveries", "destinations", "forms", "tests"].map((folder) => `dashboard/${folder}`),
  ],
};

/**
 * The room beside `src`, whose process knows the service by its HTTP interface, as a back end does. Of `src` it may
 * import the published client, the event types, and the plain files below all layers.
 */
export const BRIDGE = "bridge";
export const BRIDGE_KNOWS: readonly string[] = ["client", "domain/event.ts", "events/event-types.ts", "lib"];

/** Above the layers, and closed to all of them. Commands and the demo may import everything. */
const ROOTS = ["app.ts", "app", "main.ts", "commands", "demo", BRIDGE];
const APP_ARROW = {
  group: ["app.ts", "main.ts", "commands/**", "demo/**"]
    .flatMap((name) => [`./${name}`, `../${name}`])
    .concat(`**/../${BRIDGE}/**`),
  message: "Commands import app.ts, which imports its parts in app/; not the other way.",
};

const TESTS = [
  "**/*.test.ts",
  "src/store/conformance/**",
  `${BRIDGE}/conformance/**`,
  "test/**",
  "e2e/**",
  "sim/**",
  "bench/**",
  "chaos/**",
  "examples/**",
];
const SUITES = ["**/*.test.ts", "src/store/conformance/**", `${BRIDGE}/conformance/**`];
/** The page: a browser has its own clock, storage and document. It knows the service by the contract's types alone. */
const WEB = ["web/**"];
const WEB_BORDERS = ["web/api.ts", "web/live-stream.ts"];
const NOT_THE_SERVICE = [...TESTS, "src/commands/**", "src/demo/**", "tools/**", "bin/**"];
/** The only places where the outside world comes in. */
const BORDERS = [
  "src/lib/**",
  "src/config/env.ts",
  "src/delivery/send/send.ts",
  "src/client/outside.ts",
  "src/main.ts",
];

const PASS_IN_TIME = "Take a Clock (src/lib/clock.ts): a test must be able to run days in milliseconds.";
const PASS_IN_CHANCE = "Take a Random (src/lib/random.ts): a seed must repeat a run.";
const READ_CONFIG = "Settings are read in src/config/env.ts only; take what you need from Config.";
const SEND_ONLY = "Webhooks leave through src/delivery/send/send.ts; ARCHITECTURE.md lists every outbound connection.";
const ON_DRIVERS = "SQL belongs behind the store's verbs, in src/store/sqlite and src/store/postgres.";

const CHANCE_NAMES = ["randomBytes", "randomUUID", "randomInt", "randomFill", "randomFillSync", "getRandomValues"];
const TIMER_NAMES = ["setTimeout", "setInterval"];

const SQLITE_IMPORT: RestrictedPath = { name: "node:sqlite", message: ON_DRIVERS };
const POSTGRES_IMPORT: RestrictedPath = { name: "pg", message: ON_DRIVERS };

/** What may not come in by import. A later override replaces an earlier one, so each of them lists it again. */
const AMBIENT_IMPORTS: RestrictedPath[] = [
  { name: "node:crypto", importNames: [...CHANCE_NAMES, "webcrypto"], message: PASS_IN_CHANCE },
  { name: "node:timers", importNames: TIMER_NAMES, message: PASS_IN_TIME },
  { name: "node:timers/promises", message: PASS_IN_TIME },
  { name: "node:process", importNames: ["env"], message: READ_CONFIG },
  SQLITE_IMPORT,
  POSTGRES_IMPORT,
  { name: "node:http", importNames: ["get", "request"], message: SEND_ONLY },
  { name: "node:https", importNames: ["get", "request"], message: SEND_ONLY },
];

const AMBIENT_PROPERTIES = [
  { object: "Date", property: "now", message: PASS_IN_TIME },
  { object: "performance", property: "now", message: PASS_IN_TIME },
  { object: "process", property: "hrtime", message: PASS_IN_TIME },
  { object: "Math", property: "random", message: PASS_IN_CHANCE },
  ...CHANCE_NAMES.map((property) => ({ object: "crypto", property, message: PASS_IN_CHANCE })),
  { object: "process", property: "env", message: READ_CONFIG },
];

const NETWORK_NAMES = ["fetch", "WebSocket", "EventSource"];
const AMBIENT_GLOBALS = [
  ...TIMER_NAMES.map((name) => ({ name, message: PASS_IN_TIME })),
  ...NETWORK_NAMES.map((name) => ({ name, message: SEND_ONLY })),
];

const CALL_ONLY = "Calls go through web/api.ts, the stream through web/live.ts: nothing else talks to the service.";
const WEB_GLOBALS = [
  ...[...NETWORK_NAMES, "XMLHttpRequest"].map((name) => ({ name, message: CALL_ONLY })),
  ...["process", "Buffer", "require"].map((name) => ({ name, message: "There is no Node in a browser." })),
];
const OPEN_IN_PART = /^(?:dashboard|domain|lib)$/;
/**
 * Everything of src but that folder, `lib/pasted.ts`, and `event.ts`, `chat-addresses.ts`, `places.ts`, `pull.ts`
 * and `success.ts` of domain: the linter's expressions lack "but".
 */
const BESIDE_CONTRACT = [
  `/src/(?:${[...Object.keys(LAYERS), ...ROOTS].filter((name) => !OPEN_IN_PART.test(name)).join("|")})(?:/|$)`,
  "/src/lib/(?:[^p]|p[^a]|pa[^s])",
  "/src/domain/(?:[^ceps]|e[^v]|p[^lu]|pl[^a]|pla[^c]|c[^h]|ch[^a]|cha[^t]|s[^u]|su[^c])",
  "/src/dashboard/(?:[^/]*$|[^c/]|c[^o/]|co[^n/])",
].join("|");
const WEB_IMPORTS: Rules = {
  "no-restricted-imports": "off",
  "typescript/no-restricted-imports": [
    "error",
    {
      patterns: [
        { group: ["node:*"], message: "There is no Node in a browser." },
        { regex: "/src/dashboard/contract/", allowTypeImports: true, message: "Types only: the code stays there." },
        {
          regex: BESIDE_CONTRACT,
          message: "It knows dashboard/contract, lib/pasted.ts, and of domain what BESIDE_CONTRACT lists.",
        },
      ],
    },
  ],
};

export default defineConfig({
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: "error" },
  ignorePatterns: ["**/golden/**", "examples/verify/*/**", "data/**", "web/dist/**", "web/.build-*/**"],
  jsPlugins: [`${import.meta.dirname}/tools/house/event-type-names.ts`],
  plugins: ["typescript", "unicorn", "oxc", "import", "node", "react", "jsx-a11y"],
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

    // The compiler puts the import in.
    "react/react-in-jsx-scope": "off",

    "max-lines": ["error", { max: 400 }],
    "max-lines-per-function": ["error", { max: 70 }],
    "max-params": ["error", { max: 3 }],

    "house/no-event-type-name": "error",
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
      files: [`${BRIDGE}/**`],
      rules: importRules(AMBIENT_IMPORTS, [
        {
          group: ["**/src/**", ...BRIDGE_KNOWS.map((name) => `!**/src/${isFile(name) ? name : `${name}/**`}`)],
          message: `A bridge knows ${BRIDGE_KNOWS.join(" and ")} of src; see BRIDGE_KNOWS in oxlint.config.ts.`,
        },
      ]),
    },
    {
      files: ["src/store/sqlite/**"],
      rules: importRules(
        AMBIENT_IMPORTS.filter((path) => path !== SQLITE_IMPORT),
        arrowsOf("store"),
      ),
    },
    {
      files: ["src/store/postgres/**"],
      rules: importRules(
        AMBIENT_IMPORTS.filter((path) => path !== POSTGRES_IMPORT),
        arrowsOf("store"),
      ),
    },
    { files: ["src/app.ts", "src/app/**"], rules: importRules(AMBIENT_IMPORTS, [APP_ARROW]) },
    {
      files: BORDERS,
      rules: { "no-restricted-globals": "off", "no-restricted-properties": "off" },
    },
    { files: ["src/lib/**"], rules: importRules([], arrowsOf("lib")) },
    { files: ["src/config/env.ts"], rules: importRules([], arrowsOf("config")) },
    { files: ["src/delivery/send/send.ts"], rules: importRules([], arrowsOf("delivery")) },
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
    // A suite is one function around its tests; its length says nothing. Functions in tests that are no suites keep the
    // limit all the same: `tools/house/long-functions.ts` tells the two apart, and a test holds it.
    { files: SUITES, rules: { "max-lines-per-function": "off" } },
    {
      files: WEB,
      rules: {
        ...WEB_IMPORTS,
        "no-restricted-globals": ["error", { globals: WEB_GLOBALS, checkGlobalObject: true }],
        "no-restricted-properties": ["error", { object: "navigator", property: "sendBeacon", message: CALL_ONLY }],
        "react/no-danger": "error",
        "react/jsx-no-target-blank": "error",
        "react/rules-of-hooks": "error",
        "react/exhaustive-deps": "error",
        // A style sheet is imported for what it does.
        "import/no-unassigned-import": ["error", { allow: ["**/*.css"] }],
        // `<output>` is for results of a form; a strip that tells something is a div with a role.
        "jsx-a11y/prefer-tag-over-role": "off",
      },
    },
    {
      // Laid out as cards, a table forgets in some browsers what its elements are. The roles tell it.
      files: ["web/ui/data-table.tsx"],
      rules: { "jsx-a11y/no-redundant-roles": "off", "jsx-a11y/no-interactive-element-to-noninteractive-role": "off" },
    },
    // What a component draws is its longest part, and reads from top to bottom.
    { files: ["web/**/*.tsx"], rules: { "max-lines-per-function": ["error", { max: 120 }] } },
    // These build the page and run in Node.
    {
      files: ["web/vite.config.ts", "web/*-plugin.ts"],
      rules: { "typescript/no-restricted-imports": "off", "no-restricted-globals": "off" },
    },
    { files: WEB_BORDERS, rules: { "no-restricted-globals": "off" } },
    {
      files: ["web/**/*.test.ts"],
      rules: {
        "typescript/no-restricted-imports": "off",
        "no-restricted-globals": "off",
      },
    },
    {
      files: ["src/domain/event.ts", "src/events/**", "src/receiver/events.ts", ...TESTS],
      rules: { "house/no-event-type-name": "off" },
    },
    {
      files: ["oxlint.config.ts", "tools/house/event-type-names.ts", "web/vite.config.ts"],
      rules: { "import/no-default-export": "off" },
    },
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
  const shut = closed.map((name) => `**/../${isFile(name) ? name : `${name}/**`}`);
  const opened = open
    .filter((name) => name.includes("/"))
    .map((name) => `!**/../${isFile(name) ? name : `${name}/**`}`);
  const may = open.length === 0 ? "nothing" : open.join(", ");
  return { group: [...shut, ...opened], message: `src/${importer} may import ${may}; see LAYERS in oxlint.config.ts.` };
}

function isFile(name: string): boolean {
  return name.endsWith(".ts");
}

function importRules(paths: RestrictedPath[], patterns: ReturnType<typeof arrowsOf>): Rules {
  return { "no-restricted-imports": ["error", { paths, patterns }] };
}
