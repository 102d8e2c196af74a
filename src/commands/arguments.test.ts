/** How every command answers a wrong call and a call for help. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createFakeIo } from "../../test/kit/world/fake-io.ts";
import { readArguments, wholeNumberFlag } from "./arguments.ts";
import { COMMANDS, helpText } from "./catalog.ts";

const WRONG: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [["--prot", "1"], /^There is no flag --prot[.;]/],
  [["-x"], /^There is no flag -x\./],
  [["word"], /^"word" is one word too many: it belongs to no flag\./],
  [["--port"], /^--port needs a value behind it/],
  [["--port", "--help"], /^--port needs a value behind it; one that begins with - is written --port=-/],
  [["--help=yes"], /^--help takes no value; write it alone\./],
];

describe("readArguments", () => {
  for (const [args, message] of WRONG) {
    test(`refuses "${args.join(" ")}", shows how it is called, and ends with 2`, () => {
      const { io, out, err } = createFakeIo(args);
      const given = readArguments(io, "Usage: bellwire x", { port: { type: "string" } });
      assert.deepEqual(given, { kind: "done", exitCode: 2 });
      assert.match(err.join("\n"), message);
      assert.match(err.join("\n"), /Usage: bellwire x$/);
      assert.deepEqual(out, []);
    });
  }

  test("shows of a long help only how it is called, so that the mistake stays in sight", () => {
    const { io, err } = createFakeIo(["--prot"]);
    readArguments(io, "Usage: bellwire x\n       bellwire x --to y\n\nIt does much.\n\n  --port  a port", {});
    const called = "Usage: bellwire x\n       bellwire x --to y\n\nbellwire x --help explains it.";
    assert.deepEqual(err, [`There is no flag --prot.\n\n${called}`]);
  });

  test("hands over the values", () => {
    const { io } = createFakeIo(["--port", "1", "--port=2"]);
    const given = readArguments(io, "", { port: { type: "string" }, host: { type: "string", default: "here" } });
    assert.ok(given.kind === "run");
    assert.equal(given.values.port, "2");
    assert.equal(given.values.host, "here");
  });
});

describe("a flag with a whole number", () => {
  test("takes its bounds and nothing beside them", () => {
    assert.deepEqual(wholeNumberFlag("--n", "1", [1, 5]), { ok: true, value: 1 });
    assert.deepEqual(wholeNumberFlag("--n", "5", [1, 5]), { ok: true, value: 5 });
    for (const text of ["0", "6", "", "1.5", "1e0", " 1", "-1"]) {
      const expected = `--n ${JSON.stringify(text)} must be a whole number from 1 to 5`;
      assert.deepEqual(wholeNumberFlag("--n", text, [1, 5]), { ok: false, error: expected });
    }
  });
});

describe("every command", () => {
  for (const [name, { run }] of Object.entries(COMMANDS)) {
    test(`${name} explains itself with --help and does nothing else`, async () => {
      const { io, out, err } = createFakeIo(["--help"]);
      assert.equal(await run(io), 0);
      assert.match(out.join("\n"), new RegExp(`^Usage: bellwire ${name}`));
      assert.deepEqual(err, []);
    });

    test(`${name} refuses a flag that it does not have`, async () => {
      const { io, out, err } = createFakeIo(["--no-such-flag"]);
      assert.equal(await run(io), 2);
      assert.match(err.join("\n"), /^There is no flag --no-such-flag\./);
      assert.deepEqual(out, []);
    });

    test(`${name} is in the list of commands`, () => assert.match(helpText(), new RegExp(`^  ${name} `, "m")));
  }
});
