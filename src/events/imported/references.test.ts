import assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ABOVE, type Files, ID, importFiles, importSchema, inBody, THING } from "./catalogs.kit.ts";
import { importCatalogs } from "./import-catalog.ts";

describe("references", () => {
  const refer = ($ref: string) => ({ ...THING, properties: { ...ID, part: { $ref } } });
  const part = { type: "object", properties: { city: { type: "string" }, in: { $ref: "#" } } };

  const led: readonly (readonly [name: string, files: Files, given?: readonly string[]])[] = [
    ["to a neighbour file", { "a.json": refer("parts/b.json"), "parts/b.json": part }],
    [
      "to a place in it",
      {
        "a.json": refer("b.json#/definitions/b"),
        "b.json": { definitions: { b: { ...part, properties: { city: { type: "string" } } } } },
      },
    ],
    ["to a neighbour without its ending", { "a.json": refer("b"), "b.json": part }],
    [
      "to an address beside the file's own",
      { "a.json": { $id: "https://example.com/s/a", ...refer("https://example.com/s/b") }, "b.json": part },
    ],
    [
      "to the $id of another given file",
      { "a.json": refer("https://example.com/b"), "c/d.json": { $id: "https://example.com/b", ...part } },
      ["a.json", "c/d.json"],
    ],
    ["to an anchor", { "a.json": { ...refer("#there"), $defs: { b: { $anchor: "there", ...part } } } }],
    [
      "from a part with an $id of its own",
      {
        "a.json": {
          ...THING,
          properties: { ...ID, part: { $id: "https://example.com/p", $ref: "#/$defs/b", $defs: { b: part } } },
        },
      },
    ],
  ];
  for (const [name, files, given] of led) {
    test(`lead ${name}`, () => {
      const { types, unread } = importFiles(files, given);
      assert.deepEqual([unread, types.map(({ faults }) => faults)], [[], [[]]]);
      assert.match(types[0]?.text ?? "", /"city"/);
    });
  }

  const gone = { $ref: "#/components/none" };
  const post = { post: { requestBody: gone } };
  const lost: readonly (readonly [what: string, file: object])[] = [
    ["a webhook", { openapi: "3.1.0", webhooks: { paid: gone } }],
    ["a webhook's body", { openapi: "3.1.0", webhooks: { paid: post } }],
    ["a callback", { openapi: "3.0.0", components: { callbacks: { paid: gone } } }],
    ["what a callback sends", { openapi: "3.0.0", components: { callbacks: { paid: { "{$url}": gone } } } }],
    ["a channel", { asyncapi: "3.0.0", channels: { paid: gone } }],
    ["a message", { asyncapi: "3.0.0", channels: { orders: { messages: { paid: gone } } } }],
    ["a message of AsyncAPI 2", { asyncapi: "2.6.0", channels: { paid: { publish: { message: gone } } } }],
  ];
  for (const [what, file] of lost) {
    test(`that lead to nothing are told of: ${what}`, () => {
      const { types, unread } = importFiles({ "a.json": file });
      const told = types.map(({ type, faults: [fault] }) => `${type}: ${fault?.message}`);
      assert.deepEqual(unread, []);
      assert.equal(told.length, 1);
      assert.match(told[0] ?? "", /^paid: .* leads to nothing: a\.json has no \/components\/none/);
    });
  }

  test("that lead to nothing hide no event that stands beside them", () => {
    const { $ref } = gone;
    const files = [
      { openapi: "3.1.0", webhooks: { paid: { $ref, post: inBody(THING) } } },
      { openapi: "3.1.0", webhooks: { paid: { post: { requestBody: { $ref, ...inBody(THING).requestBody } } } } },
      { asyncapi: "3.0.0", channels: { orders: { $ref, messages: { paid: { payload: THING } } } } },
    ];
    for (const file of files) {
      const { types } = importFiles({ "a.json": file });
      assert.deepEqual(
        types.map(({ type, faults }) => [type, faults]),
        [["paid", []]],
        JSON.stringify(file),
      );
    }
  });

  test("never lead out of the folder, by dots, by a link or over the network", () => {
    const secret = join(ABOVE, "secret.json");
    writeFileSync(secret, JSON.stringify({ type: "string", title: "hidden" }));
    const wordsOf = (reference: string, folder?: string) => {
      const files = { "a.json": refer(reference) };
      const made = folder === undefined ? importFiles(files) : importCatalogs([join(folder, "a.json")]);
      assert.equal(made.types[0]?.text, null);
      return made.types[0]?.faults[0]?.message ?? "";
    };
    assert.match(wordsOf("../secret.json"), /leads out of the folder of the given file/);
    const channels = { orders: { messages: { paid: { $ref: "../secret.json" } } } };
    const [message] = importFiles({ "a.json": { asyncapi: "3.0.0", channels } }).types;
    assert.match(message?.faults[0]?.message ?? "", /leads out of the folder of the given file/);
    assert.match(wordsOf(secret), /leads out of the folder of the given file/);
    const { folder } = importFiles({ "a.json": refer("link.json") });
    symlinkSync(secret, join(folder, "link.json"));
    assert.match(wordsOf("link.json", folder), /leads out of the folder of the given file/);
    for (const away of ["https://example.com/a.json", "//example.com/a.json", `file://${secret}`]) {
      assert.match(wordsOf(away), /leads to another document, and none is fetched/, away);
    }
    assert.match(wordsOf("none.json"), /leads to the file none.json, which cannot be read: it is not there/);
    assert.match(wordsOf("#/$defs/none"), /leads to nothing: a.json has no \/\$defs\/none/);
  });
});

describe("large and endless catalogs", () => {
  const timed = (work: () => void): number => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user / 1_000;
  };

  test("references in circles and in long chains end", () => {
    const chain = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`n${at}`, { $ref: `#/$defs/n${at + 1}` }]),
    );
    const { types } = importFiles(
      {
        "a.json": {
          ...THING,
          properties: { ...ID, part: { $ref: "#/$defs/n0" } },
          $defs: { ...chain, n5000: { type: "string" } },
        },
        "b.json": { $ref: "#/$defs/one", $defs: { one: { $ref: "#/$defs/other" }, other: { $ref: "#/$defs/one" } } },
      },
      ["a.json", "b.json"],
    );
    assert.equal(types.length, 2);
    const tree = { ...THING, properties: { ...ID, children: { type: "array", items: { $ref: "#" } } } };
    assert.deepEqual(importSchema(tree).faults, []);
  });

  test("a schema that is folded to more than a file may hold is named, and time stays in proportion", () => {
    const wide = (size: number) => {
      const parts = Array.from(
        { length: size },
        (_, at) => [`p${at}`, { $ref: `#/$defs/a/properties/same${at}` }] as const,
      );
      const properties = Object.fromEntries(
        parts.map(([name], at) => [`same${at}`, { type: "string", description: name.repeat(9) }]),
      );
      return { ...THING, properties: { ...ID, ...Object.fromEntries(parts) }, $defs: { a: { properties } } };
    };
    const { faults, text } = importSchema(wide(9_000));
    assert.equal(text, null);
    assert.match(faults[0]?.message ?? "", /bytes with all that it refers to, and at most 262144 may be/);
    const [small, large] = [1_000, 8_000].map((size) => timed(() => importSchema(wide(size))));

    assert.ok(Number(large) < 16 * Number(small) + 500, `${small} ms, ${large} ms`);
    assert.match(importSchema(wide(25_000)).faults[0]?.message ?? "", /needs more than 20000 schemas/);
  });

  test("more than a thousand events are refused", () => {
    const webhooks = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`e${at}`, { post: inBody(THING) }]));
    assert.match(
      importFiles({ "a.json": { openapi: "3.1.0", webhooks } }).unread[0]?.message ?? "",
      /1001 events, and at most 1000/,
    );
  });
});
