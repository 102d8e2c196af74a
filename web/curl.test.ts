import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { MASK, toCurl } from "./curl.ts";

/** A shell with a `curl` of its own that prints its arguments, each ended by a NUL. */
function argumentsInShell(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}\n`;
  const printed = execFileSync("sh", ["-c", script], { env: { X_API_KEY: "s3cret'$(x)", X_API_KEY_2: "two" } });
  return printed.toString("utf8").split("\0").slice(0, -1);
}

test("a shell that runs it hands over URL, headers and body unchanged", () => {
  const body = `{"a":"it's $HOME \`id\` \\"q\\" @file !!",\n\t"b":"\u{1f980}\\n"}\n`;
  const command = toCurl({
    url: "https://a.example/x?q='1'&[y]=$z",
    headers: {
      "content-type": "application/json",
      "content-length": "12",
      "X-Quote": `it's "$HOME"`,
      "X-Empty": "",
      "X-Api-Key": MASK,
      "X-Api.Key": MASK,
    },
    body,
  });
  assert.deepEqual(argumentsInShell(command), [
    "-X",
    "POST",
    "--globoff",
    "https://a.example/x?q='1'&[y]=$z",
    "-H",
    "content-type: application/json",
    "-H",
    `X-Quote: it's "$HOME"`,
    "-H",
    "X-Empty;",
    "-H",
    "X-Api-Key: s3cret'$(x)",
    "-H",
    "X-Api.Key: two",
    "--data-raw",
    body,
  ]);
});

test("a body that is too long for an argument is piped, byte by byte", () => {
  const body = `{"a":"${"it's 100 % \u{1f980}\\\\ ".repeat(10_000)}"}`;
  const command = toCurl({ url: "https://a.example/x", headers: { "X-A": "1" }, body });
  const script = `curl() { printf '%s\\0' "$@"; cat; }\n${command}\n`;
  const printed = execFileSync("sh", [], { input: script, maxBuffer: 16 * 1024 * 1024 }).toString("utf8");
  const parts = ["-X", "POST", "https://a.example/x", "-H", "X-A: 1", "--data-binary", "@-", body];
  assert.deepEqual(printed.split("\0"), parts);
});
