/** The platform's own variables with our prefix: passed over with one line, while a mistyped setting is refused. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startService } from "../../../test/kit/process/running.ts";
import { newFolder } from "../../../test/kit/folder.ts";
import { readConfig } from "../../config/config.ts";
import { describePlatformVariables, listPlatformVariables } from "./platform-variables.ts";

/** As Kubernetes sets them for a Service: its ports by their names, the first of them as that of the Service. */
function serviceVariables(service: string, host: string, ports: readonly (readonly [string, string, number])[]) {
  const inUrl = host.includes(":") ? `[${host}]` : host;
  const [[, first, firstPort]] = ports as [readonly [string, string, number]];
  const variables: Record<string, string> = {
    [`${service}_SERVICE_HOST`]: host,
    [`${service}_SERVICE_PORT`]: String(firstPort),
    [`${service}_PORT`]: `${first}://${inUrl}:${firstPort}`,
  };
  for (const [name, protocol, port] of ports) {
    const part = `${service}_PORT_${port}_${protocol.toUpperCase()}`;
    if (name !== "") variables[`${service}_SERVICE_PORT_${name}`] = String(port);
    Object.assign(variables, { [part]: `${protocol}://${inUrl}:${port}`, [`${part}_PROTO`]: protocol });
    Object.assign(variables, { [`${part}_PORT`]: String(port), [`${part}_ADDR`]: host });
  }
  return variables;
}

const PORTS = ["BELLWIRE_PORT"];
const EIGHT = serviceVariables("BELLWIRE", "192.0.2.1", [["HTTP", "tcp", 7070]]);

const PASSED_OVER: Readonly<Record<string, Record<string, string>>> = {
  "a Service named bellwire": EIGHT,
  "one with several ports": serviceVariables("BELLWIRE", "192.0.2.1", [
    ["WEB_UI", "tcp", 80],
    ["METRICS", "tcp", 9090],
    ["DNS", "udp", 53],
    ["SIGNAL", "sctp", 2905],
  ]),
  "one at an address of IPv6": serviceVariables("BELLWIRE", "2001:db8::1", [["", "tcp", 7070]]),
  "one named bellwire-postgres": serviceVariables("BELLWIRE_POSTGRES", "192.0.2.2", [["", "tcp", 5432]]),
  "one named bellwire-bridge": serviceVariables("BELLWIRE_BRIDGE", "192.0.2.3", [["HTTP", "tcp", 7077]]),
  "one named bellwire-service-port": serviceVariables("BELLWIRE_SERVICE_PORT", "192.0.2.4", [["A", "tcp", 1]]),
  "one named bellwire-2": serviceVariables("BELLWIRE_2", "192.0.2.4", [["", "tcp", 1]]),
  "a link of Docker's": {
    ...serviceVariables("BELLWIRE_DB", "192.0.2.5", [["", "tcp", 5432]]),
    BELLWIRE_DB_NAME: "/web/db",
    BELLWIRE_DB_ENV_POSTGRES_PASSWORD: "secret",
  },
  "values with a line end of Windows": Object.fromEntries(
    Object.entries(EIGHT).map(([name, text]) => [name, `${text}\r`]),
  ),
};

describe("passes over what is set for", () => {
  for (const [what, variables] of Object.entries(PASSED_OVER)) {
    test(what, () => {
      assert.deepEqual(listPlatformVariables(variables), Object.keys(variables).toSorted());
      const config = readConfig(variables);
      assert.deepEqual(config, readConfig({}));
      const line = describePlatformVariables(variables, PORTS) ?? "";
      for (const name of Object.keys(variables)) assert.ok(line.includes(name), name);
      assert.doesNotMatch(line, /\n|secret/);
    });
  }
});

test("keeps a real port beside the rest", () => {
  const config = readConfig({ ...EIGHT, BELLWIRE_PORT: "8080" });
  assert.equal(config.ok && config.value.port, 8080);
  assert.doesNotMatch(describePlatformVariables({ ...EIGHT, BELLWIRE_PORT: "8080" }, PORTS) ?? "", /BELLWIRE_PORT is/);
  assert.match(describePlatformVariables(EIGHT, PORTS) ?? "", /BELLWIRE_PORT is the address of such a Service/);
});

describe("still refuses by name", () => {
  for (const [name, value] of [
    ["BELLWIRE_PROT", "7070"],
    ["BELLWIRE_PORT", "tcp://bellwire:7070"],
    ["BELLWIRE_PORT", "http://192.0.2.1:7070"],
    ["BELLWIRE_SERVICE_HOST", "192.0.2.1"],
    ["BELLWIRE_POSTGRES_SERVICE_HOST", "bellwire.example.com"],
    ["BELLWIRE_SERVICE_PORT", "7070"],
    ["BELLWIRE_ENV_X", "1"],
    ["BELLWIRE_NAME", "bellwire"],
    ["BELLWIRE_HOST_PORT", "7070"],
    ["BELLWIRE_PORT_7070", "tcp://192.0.2.1:7070"],
  ] as const) {
    test(`${name}=${value}`, () => {
      const config = readConfig({ [name]: value });
      assert.ok(!config.ok && config.error.some(({ path }) => path === name));
      assert.equal(describePlatformVariables({ [name]: value }, PORTS), null);
    });
  }

  test("a mistyped setting beside those of a Service", () => {
    const config = readConfig({ ...EIGHT, BELLWIRE_SERVICE_URL: "http://a", BELLWIRE_PROT: "1" });
    assert.deepEqual(!config.ok && config.error.map(({ path }) => path), ["BELLWIRE_SERVICE_URL", "BELLWIRE_PROT"]);
  });
});

test("the built command starts beside the eight variables of a Service, and says one line about them", async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(newFolder());
  const { BELLWIRE_PORT: _, ...seven } = EIGHT;
  const postgres = serviceVariables("BELLWIRE_BRIDGE", "192.0.2.3", [["HTTP", "tcp", 7077]]);
  const service = stack.use(await startService({ dataDir: folder.path, env: { ...seven, ...postgres } }));
  assert.equal((await service.get("/healthz")).status, 200);
  const lines = service.child.err.all.filter((line) => line.includes("SERVICE_HOST"));
  assert.equal(lines.length, 1, service.child.err.text);
  assert.match(lines[0] ?? "", /^Passed over, .*BELLWIRE_PORT_7070_TCP_ADDR.*enableServiceLinks: false/);
});
