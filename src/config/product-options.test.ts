import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { newFolder } from "../../test/kit/folder.ts";
import { toValue } from "../../test/kit/world/world.ts";
import { readConfig } from "./config.ts";

type Texts = Readonly<Record<string, string>>;

const read = (env: Texts) => toValue(readConfig(env));

function refused(env: Texts): string[] {
  const config = readConfig(env);
  assert.ok(!config.ok, `was taken: ${JSON.stringify(env)}`);
  return config.error.map(({ path, message }) => `${path} ${message}`);
}

describe("origins that may frame the dashboard", () => {
  const given = (origins: string, publicUrl = "https://hooks.example.com") =>
    refused({ BELLWIRE_EMBED_ORIGINS: origins, BELLWIRE_PUBLIC_URL: publicUrl }).join("\n");

  test("are taken as a browser writes them, each once", () => {
    const env = {
      BELLWIRE_EMBED_ORIGINS: "https://app.example.com, http://localhost:3000,https://app.example.com",
      BELLWIRE_PUBLIC_URL: "https://hooks.example.com",
    };
    assert.deepEqual(read(env).embedOrigins, ["https://app.example.com", "http://localhost:3000"]);
    assert.deepEqual(read({ BELLWIRE_EMBED_ORIGINS: "http://localhost:3000" }).embedOrigins, ["http://localhost:3000"]);
  });

  for (const [origin, wanted] of [
    ["https://a.example;sandbox", /must be an origin/],
    ["https://a.example/", /write https:\/\/a\.example$/],
    ["https://a.example/;script-src *", /must be an origin/],
    ["https://a.example 'self'", /must be an origin|space/],
    ["https://A.example:443", /write https:\/\/a\.example$/],
    ["https://*.example", /no star/],
    ["https://a.example'self'", /must be an origin/],
    ["*", /must be an origin/],
    ["'self'", /has quotes/],
    ["https:", /must be an origin/],
    ["null", /must be an origin/],
    ["a.example", /with its scheme/],
    ["data:text/html,x", /must be an origin/],
    ["https://a.example.", /must be an origin/],
    ["https://a..example", /must be an origin/],
    ["https://-a.example", /must be an origin/],
    ["https://u:p@a.example", /write https:\/\/a\.example$/],
    ["http://a.example", /must begin with https:/],
  ] as const) {
    test(`${origin} is refused with what would be right`, () => {
      assert.match(given(origin), /^BELLWIRE_EMBED_ORIGINS /);
      assert.match(given(origin), wanted);
    });
  }

  test("need a service that people reach by https, because browsers keep no sign-in in a frame else", () => {
    const env = { BELLWIRE_EMBED_ORIGINS: "https://app.example.com" };
    assert.match(refused(env).join(), /^BELLWIRE_PUBLIC_URL must begin with https:/);
    assert.match(given("https://app.example.com", "http://hooks.example.com"), /^BELLWIRE_PUBLIC_URL /);
  });
});

describe("a brand", () => {
  const folder = newFolder();
  after(() => folder[Symbol.dispose]());
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder.path, name), content);
    return join(folder.path, name);
  };
  const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(8)]);

  test("has a name, a mark and a colour, and e-mail comes from that name", () => {
    const config = read({
      BELLWIRE_BRAND_NAME: "Acme Hooks",
      BELLWIRE_BRAND_LOGO: file("a.svg", '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'),
      BELLWIRE_BRAND_COLOR: "#0A7D4F",
    });
    assert.equal(config.brandName, "Acme Hooks");
    assert.equal(config.brandLogo?.type, "image/svg+xml");
    assert.equal(config.brandColors?.light["accent-solid"], "#0a7d4f");
    assert.equal(config.mailFrom, "Acme Hooks <bellwire@localhost>");
    assert.equal(read({ BELLWIRE_BRAND_LOGO: file("a.png", png) }).brandLogo?.type, "image/png");
  });

  for (const [env, wanted] of [
    [{ BELLWIRE_BRAND_NAME: "Acme <script>" }, /without < >/],
    [{ BELLWIRE_BRAND_NAME: "x".repeat(25) }, /at most 24/],
    [{ BELLWIRE_BRAND_LOGO: "/nowhere.svg" }, /cannot be read: .*ENOENT/],
    [{ BELLWIRE_BRAND_LOGO: "/dev/zero" }, /cannot be read: it is a device, a pipe or a socket, and no file/],
    [{ BELLWIRE_BRAND_LOGO: tmpdir() }, /cannot be read: it is a folder \(EISDIR\)/],
    [{ BELLWIRE_BRAND_LOGO: file("page.svg", "<html><svg></svg></html>") }, /is neither SVG nor PNG/],
    [{ BELLWIRE_BRAND_LOGO: file("big.png", Buffer.concat([png, Buffer.alloc(200_000)])) }, /has 196 KiB; at most 128/],
    [{ BELLWIRE_BRAND_COLOR: "red" }, /must be a colour such as/],
    [{ BELLWIRE_BRAND_COLOR: "#ffcc00" }, /contrast of 1\.5, and needs 4\.5; #[\da-f]{6} has it/],
  ] as const) {
    test(`${JSON.stringify(env).slice(0, 60)} is refused in words`, () => {
      const [message = "", ...others] = refused(env);
      assert.deepEqual(others, []);
      assert.ok(message.startsWith(Object.keys(env)[0] ?? ""), message);
      assert.match(message, wanted);
    });
  }
});
